package dev.tidemark.broker.replication;

import dev.tidemark.broker.control.ControllerChannel;
import dev.tidemark.env.Timers;
import dev.tidemark.log.LogId;
import dev.tidemark.protocol.PeerConnection;
import dev.tidemark.replica.BrokerRegistry;
import dev.tidemark.replica.CommittedIsr;
import dev.tidemark.replica.IsrMember;
import dev.tidemark.replica.IsrProposal;
import dev.tidemark.replica.IsrProposals;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.AlterPartitionRequestData;
import org.apache.kafka.common.message.AlterPartitionRequestData.BrokerState;
import org.apache.kafka.common.message.AlterPartitionResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;

/**
 * Asks the controller to commit ISRs (AlterPartition, KIP-497). What is proposed in one moment, and
 * while a request is under way, goes out in one request. Owned by the data shard.
 */
final class IsrRequests implements IsrProposals {
  /** An answer that takes longer is given up; the leader asks again. */
  private static final long TIMEOUT_MS = 5_000;

  private final int brokerId;
  private final BrokerRegistry brokers;
  private final ControllerChannel channel;
  private final Timers timers;
  private Map<LogId, Proposed> waiting = new LinkedHashMap<>();
  private boolean scheduled;
  private boolean inFlight;

  private record Proposed(IsrProposal proposal, Reply reply) {}

  IsrRequests(int brokerId, BrokerRegistry brokers, ControllerChannel channel, Timers timers) {
    this.brokerId = brokerId;
    this.brokers = brokers;
    this.channel = channel;
    this.timers = timers;
  }

  @Override
  public void propose(IsrProposal proposal, Reply reply) {
    Proposed before = waiting.put(proposal.id(), new Proposed(proposal, reply));
    if (before != null) {
      before.reply().onReply(Errors.OPERATION_NOT_ATTEMPTED, null); // it was never sent
    }
    if (!scheduled && !inFlight) {
      scheduled = true;
      timers.schedule(0, this::send);
    }
  }

  private void send() {
    scheduled = false;
    if (waiting.isEmpty()) {
      return;
    }
    Map<LogId, Proposed> sent = waiting;
    waiting = new LinkedHashMap<>();
    inFlight = true;
    channel.send(
        ApiKeys.ALTER_PARTITION,
        request(sent),
        TIMEOUT_MS,
        new PeerConnection.Answer() {
          @Override
          public void onResponse(ApiMessage response) {
            inFlight = false;
            onAnswer(sent, (AlterPartitionResponseData) response);
            send();
          }

          @Override
          public void onFailed(PeerConnection.Failure failure) {
            inFlight = false;
            sent.values().forEach(one -> one.reply().onReply(failure.error(), null));
            send();
          }
        });
  }

  private AlterPartitionRequestData request(Map<LogId, Proposed> proposals) {
    Map<Uuid, AlterPartitionRequestData.TopicData> topics = new LinkedHashMap<>();
    for (Proposed one : proposals.values()) {
      topics
          .computeIfAbsent(
              one.proposal().id().topicId(),
              id -> new AlterPartitionRequestData.TopicData().setTopicId(id))
          .partitions()
          .add(partition(one.proposal()));
    }
    AlterPartitionRequestData request =
        new AlterPartitionRequestData().setBrokerId(brokerId).setBrokerEpoch(brokers.ownEpoch());
    request.topics().addAll(topics.values());
    return request;
  }

  private static AlterPartitionRequestData.PartitionData partition(IsrProposal proposal) {
    AlterPartitionRequestData.PartitionData partition =
        new AlterPartitionRequestData.PartitionData()
            .setPartitionIndex(proposal.id().partition())
            .setLeaderEpoch(proposal.leaderEpoch())
            .setPartitionEpoch(proposal.partitionEpoch());
    for (IsrMember member : proposal.isr()) {
      partition
          .newIsrWithEpochs()
          .add(
              new BrokerState()
                  .setBrokerId(member.brokerId())
                  .setBrokerEpoch(member.brokerEpoch()));
    }
    return partition;
  }

  private static void onAnswer(Map<LogId, Proposed> sent, AlterPartitionResponseData response) {
    Errors whole = Errors.forCode(response.errorCode());
    Map<TopicPartitionId, AlterPartitionResponseData.PartitionData> parts = new LinkedHashMap<>();
    for (AlterPartitionResponseData.TopicData topic : response.topics()) {
      for (AlterPartitionResponseData.PartitionData part : topic.partitions()) {
        parts.put(new TopicPartitionId(topic.topicId(), part.partitionIndex()), part);
      }
    }
    for (Proposed one : sent.values()) {
      LogId id = one.proposal().id();
      AlterPartitionResponseData.PartitionData part =
          parts.get(new TopicPartitionId(id.topicId(), id.partition()));
      if (whole != Errors.NONE || part == null) {
        one.reply().onReply(whole == Errors.NONE ? Errors.UNKNOWN_SERVER_ERROR : whole, null);
      } else if (part.errorCode() != Errors.NONE.code()) {
        one.reply().onReply(Errors.forCode(part.errorCode()), null);
      } else {
        one.reply()
            .onReply(
                Errors.NONE,
                new CommittedIsr(part.leaderEpoch(), part.partitionEpoch(), part.isr()));
      }
    }
  }

  /** How an answer names a partition. */
  private record TopicPartitionId(Uuid topicId, int partition) {}
}
