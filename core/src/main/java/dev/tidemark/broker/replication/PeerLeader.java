package dev.tidemark.broker.replication;

import dev.tidemark.env.Dialer;
import dev.tidemark.env.Timers;
import dev.tidemark.metadata.MetadataView;
import dev.tidemark.protocol.PeerConnection;
import dev.tidemark.replica.fetch.LeaderConnection;
import dev.tidemark.replica.fetch.OffsetsQuestion;
import java.util.List;
import org.apache.kafka.common.Endpoint;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.ListOffsetsRequestData;
import org.apache.kafka.common.message.ListOffsetsRequestData.ListOffsetsPartition;
import org.apache.kafka.common.message.ListOffsetsRequestData.ListOffsetsTopic;
import org.apache.kafka.common.message.ListOffsetsResponseData;
import org.apache.kafka.common.message.ListOffsetsResponseData.ListOffsetsPartitionResponse;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.ListOffsetsRequest;
import org.apache.kafka.metadata.BrokerRegistration;
import org.jspecify.annotations.Nullable;

/**
 * The way to one leader broker over its inter-broker listener. Where that is stands in the broker's
 * registration; a new registration may tell another place. Owned by the data shard.
 */
final class PeerLeader implements LeaderConnection {
  /** Each request has one version; it goes up in the release after the first that answers it. */
  static final short FETCH_VERSION = 18;

  static final short LIST_OFFSETS_VERSION = 9;

  private final int brokerId;
  private final int leaderId;
  private final MetadataView view;
  private final Dialer dialer;
  private final Timers timers;
  private final ReplicationSettings settings;
  private @Nullable PeerConnection connection;
  private @Nullable Endpoint endpoint;

  PeerLeader(
      int brokerId,
      int leaderId,
      MetadataView view,
      Dialer dialer,
      Timers timers,
      ReplicationSettings settings) {
    this.brokerId = brokerId;
    this.leaderId = leaderId;
    this.view = view;
    this.dialer = dialer;
    this.timers = timers;
    this.settings = settings;
  }

  @Override
  public void fetch(FetchRequestData request, FetchReply reply) {
    PeerConnection to = connection();
    if (to == null) {
      timers.schedule(0, () -> reply.onReply(Errors.BROKER_NOT_AVAILABLE, null));
      return;
    }
    to.send(
        ApiKeys.FETCH,
        FETCH_VERSION,
        request,
        settings.fetching().timeoutMs(),
        new PeerConnection.Answer() {
          @Override
          public void onResponse(ApiMessage response) {
            reply.onReply(Errors.NONE, (FetchResponseData) response);
          }

          @Override
          public void onFailed(PeerConnection.Failure failure) {
            reply.onReply(failure.error(), null);
          }
        });
  }

  @Override
  public void askOffsets(OffsetsQuestion question, OffsetsReply reply) {
    ask(
        question,
        ListOffsetsRequest.EARLIEST_TIMESTAMP,
        (startError, start) -> {
          if (startError != Errors.NONE) {
            reply.onReply(startError, -1, -1);
            return;
          }
          ask(
              question,
              ListOffsetsRequest.LATEST_TIMESTAMP,
              (error, end) ->
                  reply.onReply(
                      error, error == Errors.NONE ? start : -1, error == Errors.NONE ? end : -1));
        });
  }

  /** Hears one offset. */
  @FunctionalInterface
  private interface OffsetReply {
    void onReply(Errors error, long offset);
  }

  private void ask(OffsetsQuestion question, long timestamp, OffsetReply reply) {
    PeerConnection to = connection();
    if (to == null) {
      timers.schedule(0, () -> reply.onReply(Errors.BROKER_NOT_AVAILABLE, -1));
      return;
    }
    ListOffsetsRequestData request =
        new ListOffsetsRequestData()
            .setReplicaId(brokerId)
            .setTopics(
                List.of(
                    new ListOffsetsTopic()
                        .setName(question.id().topic())
                        .setPartitions(
                            List.of(
                                new ListOffsetsPartition()
                                    .setPartitionIndex(question.id().partition())
                                    .setCurrentLeaderEpoch(question.leaderEpoch())
                                    .setTimestamp(timestamp)))));
    to.send(
        ApiKeys.LIST_OFFSETS,
        LIST_OFFSETS_VERSION,
        request,
        settings.fetching().timeoutMs(),
        new PeerConnection.Answer() {
          @Override
          public void onResponse(ApiMessage response) {
            tell((ListOffsetsResponseData) response, reply);
          }

          @Override
          public void onFailed(PeerConnection.Failure failure) {
            reply.onReply(failure.error(), -1);
          }
        });
  }

  private static void tell(ListOffsetsResponseData response, OffsetReply reply) {
    if (response.topics().size() != 1 || response.topics().get(0).partitions().size() != 1) {
      reply.onReply(Errors.UNKNOWN_SERVER_ERROR, -1);
      return;
    }
    ListOffsetsPartitionResponse answer = response.topics().get(0).partitions().get(0);
    reply.onReply(Errors.forCode(answer.errorCode()), answer.offset());
  }

  @Override
  public void drop() {
    if (connection != null) {
      connection.close();
      connection = null;
    }
  }

  /** To where the leader is now; null when nobody knows. */
  private @Nullable PeerConnection connection() {
    BrokerRegistration broker = view.image().cluster().broker(leaderId);
    Endpoint now = broker == null ? null : broker.listeners().get(settings.listener());
    if (now == null || !now.equals(endpoint)) {
      drop();
      endpoint = now;
    }
    if (now != null && connection == null) {
      connection =
          new PeerConnection(
              dialer, timers, "broker-" + brokerId + "-fetcher", now.host(), now.port());
    }
    return connection;
  }
}
