package dev.tidemark.broker;

import dev.tidemark.broker.control.ControllerChannel;
import dev.tidemark.log.LogId;
import dev.tidemark.metadata.MetadataListener;
import dev.tidemark.metadata.MetadataView;
import dev.tidemark.metadata.Reply;
import dev.tidemark.protocol.PeerConnection;
import dev.tidemark.protocol.RenewedLeadership;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.NetworkException;
import org.apache.kafka.common.errors.NotLeaderOrFollowerException;
import org.apache.kafka.common.message.AlterPartitionRequestData;
import org.apache.kafka.common.message.AlterPartitionResponseData;
import org.apache.kafka.common.message.AssignReplicasToDirsRequestData;
import org.apache.kafka.common.message.AssignReplicasToDirsResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.image.MetadataDelta;
import org.apache.kafka.image.MetadataImage;
import org.apache.kafka.metadata.PartitionRegistration;
import org.apache.kafka.metadata.Replicas;
import org.jspecify.annotations.Nullable;

/**
 * The same as {@link LedPartitionCalls} says, of a controller elsewhere: what it has accepted is
 * replied once the metadata have come here. Owned by the data shard.
 */
final class ClusterPartitionCalls implements LedPartitionCalls, MetadataListener {
  private static final long TIMEOUT_MS = 5_000;

  private final int nodeId;
  private final LongSupplier ownEpoch;
  private final MetadataView view;
  private final ControllerChannel channel;
  private final List<Accepted> accepted = new ArrayList<>(0);

  /** What was accepted, and whether the partition's state shows it. */
  private record Accepted(LogId id, Predicate<PartitionRegistration> shown, Told told) {}

  /** Hears what became of it; {@code state} is null when the partition is gone. */
  @FunctionalInterface
  private interface Told {
    void onShown(@Nullable PartitionRegistration state);
  }

  ClusterPartitionCalls(
      int nodeId, LongSupplier ownEpoch, MetadataView view, ControllerChannel channel) {
    this.nodeId = nodeId;
    this.ownEpoch = ownEpoch;
    this.view = view;
    this.channel = channel;
    view.addListener(this);
  }

  /** Its reply is the epoch in which somebody leads next; that need not be this broker. */
  @Override
  public void renew(LogId id, Reply<Integer> reply) {
    PartitionRegistration state = state(id);
    if (state == null || state.leader != nodeId) {
      reply.fail(new NotLeaderOrFollowerException(id + " is not led by this broker"));
      return;
    }
    int before = state.leaderEpoch;
    send(
        ApiKeys.ALTER_PARTITION,
        renewal(id, state),
        response -> errorOf((AlterPartitionResponseData) response),
        reply::fail,
        new Accepted(
            id,
            now -> now.leaderEpoch > before && now.hasLeader(),
            now -> {
              if (now == null) {
                reply.fail(gone(id));
              } else {
                reply.succeed(now.leaderEpoch);
              }
            }));
  }

  private AlterPartitionRequestData renewal(LogId id, PartitionRegistration state) {
    AlterPartitionRequestData.PartitionData partition =
        RenewedLeadership.ask(
            new AlterPartitionRequestData.PartitionData()
                .setPartitionIndex(id.partition())
                .setLeaderEpoch(state.leaderEpoch)
                .setPartitionEpoch(state.partitionEpoch)
                .setNewIsrWithEpochs(
                    List.of(
                        new AlterPartitionRequestData.BrokerState()
                            .setBrokerId(nodeId)
                            .setBrokerEpoch(ownEpoch.getAsLong()))));
    return new AlterPartitionRequestData()
        .setBrokerId(nodeId)
        .setBrokerEpoch(ownEpoch.getAsLong())
        .setTopics(
            List.of(
                new AlterPartitionRequestData.TopicData()
                    .setTopicId(id.topicId())
                    .setPartitions(List.of(partition))));
  }

  private static Errors errorOf(AlterPartitionResponseData response) {
    if (response.errorCode() != Errors.NONE.code()) {
      return Errors.forCode(response.errorCode());
    }
    return response.topics().isEmpty() || response.topics().get(0).partitions().isEmpty()
        ? Errors.UNKNOWN_SERVER_ERROR
        : Errors.forCode(response.topics().get(0).partitions().get(0).errorCode());
  }

  @Override
  public void assign(LogId id, Uuid directoryId, Reply<Uuid> reply) {
    send(
        ApiKeys.ASSIGN_REPLICAS_TO_DIRS,
        assignment(id, directoryId),
        response -> errorOf((AssignReplicasToDirsResponseData) response),
        reply::fail,
        new Accepted(
            id,
            now -> isIn(now, directoryId),
            now -> {
              if (now == null) {
                reply.fail(gone(id));
              } else {
                reply.succeed(directoryId);
              }
            }));
  }

  private boolean isIn(PartitionRegistration state, Uuid directoryId) {
    return Replicas.contains(state.replicas, nodeId) && state.directory(nodeId).equals(directoryId);
  }

  private AssignReplicasToDirsRequestData assignment(LogId id, Uuid directoryId) {
    return new AssignReplicasToDirsRequestData()
        .setBrokerId(nodeId)
        .setBrokerEpoch(ownEpoch.getAsLong())
        .setDirectories(
            List.of(
                new AssignReplicasToDirsRequestData.DirectoryData()
                    .setId(directoryId)
                    .setTopics(
                        List.of(
                            new AssignReplicasToDirsRequestData.TopicData()
                                .setTopicId(id.topicId())
                                .setPartitions(
                                    List.of(
                                        new AssignReplicasToDirsRequestData.PartitionData()
                                            .setPartitionIndex(id.partition())))))));
  }

  private static Errors errorOf(AssignReplicasToDirsResponseData response) {
    if (response.errorCode() != Errors.NONE.code()) {
      return Errors.forCode(response.errorCode());
    }
    return response.directories().isEmpty()
            || response.directories().get(0).topics().isEmpty()
            || response.directories().get(0).topics().get(0).partitions().isEmpty()
        ? Errors.UNKNOWN_SERVER_ERROR
        : Errors.forCode(
            response.directories().get(0).topics().get(0).partitions().get(0).errorCode());
  }

  private static NotLeaderOrFollowerException gone(LogId id) {
    return new NotLeaderOrFollowerException(id + " is not in the metadata any more");
  }

  /** Reads the error of one answer. */
  @FunctionalInterface
  private interface ErrorOf {
    Errors of(ApiMessage response);
  }

  /** Hears that it came to nothing. */
  @FunctionalInterface
  private interface Failed {
    void fail(Throwable cause);
  }

  private void send(ApiKeys api, ApiMessage request, ErrorOf error, Failed failed, Accepted next) {
    channel.send(
        api,
        request,
        TIMEOUT_MS,
        new PeerConnection.Answer() {
          @Override
          public void onResponse(ApiMessage response) {
            Errors told = error.of(response);
            if (told != Errors.NONE) {
              failed.fail(told.exception());
            } else if (!tell(next)) {
              accepted.add(next);
            }
          }

          @Override
          public void onFailed(PeerConnection.Failure failure) {
            failed.fail(new NetworkException("The controller was not reached: " + failure));
          }
        });
  }

  private @Nullable PartitionRegistration state(LogId id) {
    return view.partition(id.topicId(), id.partition());
  }

  /** False when the metadata do not show it yet. */
  private boolean tell(Accepted one) {
    PartitionRegistration state = state(one.id());
    if (state != null && !one.shown().test(state)) {
      return false;
    }
    one.told().onShown(state);
    return true;
  }

  @Override
  public void onMetadataUpdate(MetadataDelta delta, MetadataImage image) {
    if (!accepted.isEmpty() && delta.topicsDelta() != null) {
      List<Accepted> all = List.copyOf(accepted);
      accepted.clear();
      for (Accepted one : all) {
        if (!tell(one)) {
          accepted.add(one);
        }
      }
    }
  }
}
