package dev.tidemark.metadata;

import dev.tidemark.protocol.RenewedLeadership;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.AlterPartitionRequestData;
import org.apache.kafka.common.message.AlterPartitionRequestData.BrokerState;
import org.apache.kafka.common.message.AlterPartitionResponseData;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.image.MetadataImage;
import org.apache.kafka.image.TopicImage;
import org.apache.kafka.metadata.BrokerRegistration;
import org.apache.kafka.metadata.LeaderRecoveryState;
import org.apache.kafka.metadata.PartitionRegistration;
import org.apache.kafka.metadata.Replicas;

/**
 * Decides AlterPartition (KIP-497, KIP-841, KIP-903): a leader changes the ISR of its partition by
 * compare and set of leader epoch and partition epoch. Only brokers that are unfenced, not shutting
 * down and of the run the leader saw may be in an ISR. Each partition stands for itself.
 */
final class IsrAlteration {
  /** The epoch a leader sends that does not know its follower's. */
  private static final long ANY_EPOCH = -1;

  private final ElectionContext context;
  private final MetadataDraft draft;
  private final int leaderId;

  private IsrAlteration(ElectionContext context, MetadataDraft draft, int leaderId) {
    this.context = context;
    this.draft = draft;
    this.leaderId = leaderId;
  }

  static Decision<AlterPartitionResponseData> decide(
      MetadataImage image, ElectionContext context, AlterPartitionRequestData request) {
    HeartbeatDecision.currentRun(image, request.brokerId(), request.brokerEpoch());
    MetadataDraft draft = context.draft(image);
    AlterPartitionResponseData response =
        new IsrAlteration(context, draft, request.brokerId()).alter(request);
    return draft.decision(response);
  }

  private AlterPartitionResponseData alter(AlterPartitionRequestData request) {
    AlterPartitionResponseData response = new AlterPartitionResponseData();
    for (AlterPartitionRequestData.TopicData topic : request.topics()) {
      AlterPartitionResponseData.TopicData result =
          new AlterPartitionResponseData.TopicData().setTopicId(topic.topicId());
      for (AlterPartitionRequestData.PartitionData partition : topic.partitions()) {
        try {
          result.partitions().add(alter(topic.topicId(), partition));
        } catch (Refusal e) {
          result
              .partitions()
              .add(
                  new AlterPartitionResponseData.PartitionData()
                      .setPartitionIndex(partition.partitionIndex())
                      .setErrorCode(e.error().code()));
        }
      }
      response.topics().add(result);
    }
    return response;
  }

  private AlterPartitionResponseData.PartitionData alter(
      Uuid topicId, AlterPartitionRequestData.PartitionData asked) {
    PartitionKey key = new PartitionKey(topicId, asked.partitionIndex());
    PartitionRegistration state = find(key);
    List<BrokerState> proposed = proposed(asked);
    List<Integer> isr = proposed.stream().map(BrokerState::brokerId).toList();
    LeaderRecoveryState recovery = recovery(asked);
    checkEpochs(key, state, asked);
    if (RenewedLeadership.isAskedFor(asked)) {
      return renew(key, state);
    }
    boolean isOld = asked.partitionEpoch() < state.partitionEpoch;
    // An ISR that is news to the leader counts with the floor that it does not know yet.
    if (isThere(state, isr, recovery) && !(isOld && !isFloorKnown(key))) {
      return answer(
          key, state.leader, state.leaderEpoch, isr(state), recovery, state.partitionEpoch);
    }
    if (isOld) {
      throw new Refusal(
          Errors.INVALID_UPDATE_VERSION,
          "%s has partition epoch %d, not %d."
              .formatted(key, state.partitionEpoch, asked.partitionEpoch()));
    }
    checkIsr(key, state, isr, recovery);
    checkFloorIsKnown(key);
    checkEligible(key, proposed);
    PartitionChange change = draft.change(key);
    change.setIsr(isr, recovery);
    if (change.leader() != leaderId) {
      throw new Refusal(Errors.NEW_LEADER_ELECTED, key + " is given another leader.");
    }
    int epochs = change.record(key).isPresent() ? 1 : 0;
    int newLeaderEpoch = change.beginsEpoch() ? state.leaderEpoch + 1 : state.leaderEpoch;
    return answer(
        key, leaderId, newLeaderEpoch, change.isr(), recovery, state.partitionEpoch + epochs);
  }

  /**
   * The leader's log was closed meanwhile and may lack what was not synced. Others that have it all
   * lead then; it leads on, in a new epoch, where there are none.
   */
  private AlterPartitionResponseData.PartitionData renew(
      PartitionKey key, PartitionRegistration state) {
    PartitionChange change = draft.change(key);
    if (state.isr.length > 1 || state.elr.length > 0) {
      change.stopUncleanly(leaderId);
    } else {
      change.renewEpoch();
    }
    int epochs = change.record(key).isPresent() ? 1 : 0;
    return answer(
        key,
        change.leader(),
        state.leaderEpoch + 1,
        change.isr(),
        state.leaderRecoveryState,
        state.partitionEpoch + epochs);
  }

  private PartitionRegistration find(PartitionKey key) {
    TopicImage topic = draft.image().topics().getTopic(key.topicId());
    if (topic == null) {
      throw new Refusal(Errors.UNKNOWN_TOPIC_ID, "There is no topic with id " + key.topicId());
    }
    PartitionRegistration state = topic.partitions().get(key.partition());
    if (state == null) {
      throw new Refusal(Errors.UNKNOWN_TOPIC_OR_PARTITION, "There is no partition " + key);
    }
    return state;
  }

  /** The older version sends ids only. */
  private static List<BrokerState> proposed(AlterPartitionRequestData.PartitionData asked) {
    List<BrokerState> states = new ArrayList<>(asked.newIsrWithEpochs());
    if (states.isEmpty()) {
      for (int id : asked.newIsr()) {
        states.add(new BrokerState().setBrokerId(id).setBrokerEpoch(ANY_EPOCH));
      }
    }
    return states;
  }

  private static LeaderRecoveryState recovery(AlterPartitionRequestData.PartitionData asked) {
    try {
      return LeaderRecoveryState.of(asked.leaderRecoveryState());
    } catch (IllegalArgumentException e) {
      throw new Refusal(
          Errors.INVALID_REQUEST, "Unknown recovery state " + asked.leaderRecoveryState());
    }
  }

  /** What is newer than here was decided by a controller that came later. */
  private void checkEpochs(
      PartitionKey key,
      PartitionRegistration state,
      AlterPartitionRequestData.PartitionData asked) {
    if (asked.leaderEpoch() > state.leaderEpoch || asked.partitionEpoch() > state.partitionEpoch) {
      throw new Refusal(
          Errors.NOT_CONTROLLER,
          "%s is at leader epoch %d and partition epoch %d here, the request knows %d and %d."
              .formatted(
                  key,
                  state.leaderEpoch,
                  state.partitionEpoch,
                  asked.leaderEpoch(),
                  asked.partitionEpoch()));
    }
    if (asked.leaderEpoch() < state.leaderEpoch) {
      throw new Refusal(
          Errors.FENCED_LEADER_EPOCH,
          "%s has leader epoch %d, not %d.".formatted(key, state.leaderEpoch, asked.leaderEpoch()));
    }
    if (state.leader != leaderId) {
      throw new Refusal(
          Errors.INVALID_REQUEST,
          "%s is led by broker %d, not %d.".formatted(key, state.leader, leaderId));
    }
  }

  /** KAFKA-14144: the answer to the same request was lost. */
  private static boolean isThere(
      PartitionRegistration state, List<Integer> isr, LeaderRecoveryState recovery) {
    return state.leaderRecoveryState == recovery
        && isr.size() == state.isr.length
        && new HashSet<>(isr).equals(Replicas.toSet(state.isr));
  }

  private void checkIsr(
      PartitionKey key,
      PartitionRegistration state,
      List<Integer> isr,
      LeaderRecoveryState recovery) {
    Set<Integer> distinct = new HashSet<>(isr);
    if (isr.isEmpty()
        || distinct.size() != isr.size()
        || !Replicas.toSet(state.replicas).containsAll(distinct)) {
      throw new Refusal(
          Errors.INVALID_REQUEST,
          "%s cannot have the ISR %s: its replicas are %s."
              .formatted(key, isr, Replicas.toList(state.replicas)));
    }
    if (!isr.contains(leaderId)) {
      throw new Refusal(
          Errors.INVALID_REQUEST,
          "The leader %d of %s is not in %s.".formatted(leaderId, key, isr));
    }
    if (recovery == LeaderRecoveryState.RECOVERING
        && (isr.size() > 1 || state.leaderRecoveryState == LeaderRecoveryState.RECOVERED)) {
      throw new Refusal(
          Errors.INVALID_REQUEST, key + " cannot have a leader that recovers and the ISR " + isr);
    }
  }

  /** {@link FloorChanges}; the leader keeps the ISR it knows, and may ask again. */
  private void checkFloorIsKnown(PartitionKey key) {
    if (!isFloorKnown(key)) {
      throw new Refusal(
          Errors.OPERATION_NOT_ATTEMPTED,
          "Broker %d must first apply the metadata that may have changed min.insync.replicas of %s."
              .formatted(leaderId, key));
    }
  }

  private boolean isFloorKnown(PartitionKey key) {
    TopicImage topic = draft.image().topics().getTopic(key.topicId());
    long needed = topic == null ? 0 : context.floors().neededOffset(topic.name());
    return context.liveness().appliedOffset(leaderId) >= needed;
  }

  private void checkEligible(PartitionKey key, List<BrokerState> proposed) {
    for (BrokerState member : proposed) {
      BrokerRegistration broker = draft.broker(member.brokerId());
      boolean isEligible =
          broker != null
              && !broker.fenced()
              && !broker.inControlledShutdown()
              && (member.brokerEpoch() == ANY_EPOCH || member.brokerEpoch() == broker.epoch());
      if (!isEligible) {
        throw new Refusal(
            Errors.INELIGIBLE_REPLICA,
            "Broker %d may not be in the ISR of %s: it is fenced, stops, or has registered anew."
                .formatted(member.brokerId(), key));
      }
    }
  }

  private static List<Integer> isr(PartitionRegistration state) {
    return Replicas.toList(state.isr);
  }

  private static AlterPartitionResponseData.PartitionData answer(
      PartitionKey key,
      int leader,
      int leaderEpoch,
      List<Integer> isr,
      LeaderRecoveryState recovery,
      int partitionEpoch) {
    return new AlterPartitionResponseData.PartitionData()
        .setPartitionIndex(key.partition())
        .setLeaderId(leader)
        .setLeaderEpoch(leaderEpoch)
        .setIsr(isr)
        .setLeaderRecoveryState(recovery.value())
        .setPartitionEpoch(partitionEpoch);
  }
}
