package dev.tidemark.quorum;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.message.ApiVersionsResponseData;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.FetchSnapshotResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.BaseRecords;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.UnalignedMemoryRecords;
import org.apache.kafka.raft.LeaderAndEpoch;
import org.apache.kafka.raft.RaftUtil;
import org.apache.kafka.server.common.Feature;

/** The requests of raft: which there are, and in which version a node sends each. */
final class RaftApis {
  /**
   * What nodes of one cluster may differ in is the release, so a version goes up only in the
   * release after the one that answers it first.
   */
  private static final Map<ApiKeys, Short> SENT =
      Map.of(
          ApiKeys.VOTE, (short) 2,
          ApiKeys.BEGIN_QUORUM_EPOCH, (short) 1,
          ApiKeys.END_QUORUM_EPOCH, (short) 1,
          ApiKeys.FETCH, (short) 18,
          ApiKeys.FETCH_SNAPSHOT, (short) 1,
          ApiKeys.UPDATE_RAFT_VOTER, (short) 0,
          ApiKeys.ADD_RAFT_VOTER, (short) 1,
          ApiKeys.REMOVE_RAFT_VOTER, (short) 0,
          ApiKeys.API_VERSIONS, (short) 4);

  /** What raft answers itself. */
  static final List<ApiKeys> ANSWERED =
      List.of(
          ApiKeys.FETCH,
          ApiKeys.VOTE,
          ApiKeys.BEGIN_QUORUM_EPOCH,
          ApiKeys.END_QUORUM_EPOCH,
          ApiKeys.DESCRIBE_QUORUM,
          ApiKeys.FETCH_SNAPSHOT,
          ApiKeys.ADD_RAFT_VOTER,
          ApiKeys.REMOVE_RAFT_VOTER,
          ApiKeys.UPDATE_RAFT_VOTER);

  private RaftApis() {}

  static short sentVersion(ApiKeys api) {
    Short version = SENT.get(api);
    if (version == null) {
      throw new IllegalArgumentException("Raft does not send " + api);
    }
    return version;
  }

  /** What a leader asks of a node before it makes it a voter: which raft it knows (KIP-853). */
  static ApiMessage versions() {
    ApiVersionsResponseData versions = new ApiVersionsResponseData();
    for (ApiKeys api : ANSWERED) {
      versions
          .apiKeys()
          .add(
              new ApiVersionsResponseData.ApiVersion()
                  .setApiKey(api.id)
                  .setMinVersion(api.oldestVersion())
                  .setMaxVersion(api.latestVersion()));
    }
    versions
        .supportedFeatures()
        .add(
            new ApiVersionsResponseData.SupportedFeatureKey()
                .setName(Feature.KRAFT_VERSION.featureName())
                .setMinVersion(Feature.KRAFT_VERSION.minimumProduction())
                .setMaxVersion(Feature.KRAFT_VERSION.latestProduction()));
    return versions;
  }

  /** The answer to a request that raft did not take. */
  static ApiMessage refusal(ApiMessage request, Errors error) {
    return RaftUtil.errorResponse(ApiKeys.forId(request.apiKey()), error);
  }

  /** True for a refused fetch that names no leader but the known one. */
  static boolean tellsNothingNew(ApiMessage response, LeaderAndEpoch known) {
    return response instanceof FetchResponseData fetched
        && fetched.responses().stream()
            .flatMap(topic -> topic.partitions().stream())
            .anyMatch(
                part ->
                    part.errorCode() != Errors.NONE.code()
                        && (part.currentLeader().leaderId() < 0
                            || (known.isLeader(part.currentLeader().leaderId())
                                && part.currentLeader().leaderEpoch() == known.epoch())));
  }

  /** Moves the records of a response out of the frame it came in. */
  static void keep(ApiMessage response) {
    if (response instanceof FetchResponseData fetched) {
      fetched
          .responses()
          .forEach(
              topic -> topic.partitions().forEach(part -> part.setRecords(kept(part.records()))));
    } else if (response instanceof FetchSnapshotResponseData snapshot) {
      snapshot
          .topics()
          .forEach(
              topic ->
                  topic
                      .partitions()
                      .forEach(part -> part.setUnalignedRecords(kept(part.unalignedRecords()))));
    }
  }

  private static BaseRecords kept(BaseRecords records) {
    if (records instanceof MemoryRecords memory) {
      return MemoryRecords.readableRecords(copy(memory.buffer()));
    }
    if (records instanceof UnalignedMemoryRecords memory) {
      return new UnalignedMemoryRecords(copy(memory.buffer()));
    }
    return records == null ? MemoryRecords.EMPTY : records;
  }

  private static ByteBuffer copy(ByteBuffer bytes) {
    return ByteBuffer.allocate(bytes.remaining()).put(bytes.duplicate()).flip();
  }
}
