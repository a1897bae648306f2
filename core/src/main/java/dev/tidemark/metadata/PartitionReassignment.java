package dev.tidemark.metadata;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.kafka.common.message.AlterPartitionReassignmentsRequestData;
import org.apache.kafka.common.message.AlterPartitionReassignmentsRequestData.ReassignablePartition;
import org.apache.kafka.common.message.AlterPartitionReassignmentsRequestData.ReassignableTopic;
import org.apache.kafka.common.message.AlterPartitionReassignmentsResponseData;
import org.apache.kafka.common.message.AlterPartitionReassignmentsResponseData.ReassignablePartitionResponse;
import org.apache.kafka.common.message.AlterPartitionReassignmentsResponseData.ReassignableTopicResponse;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.image.MetadataImage;
import org.apache.kafka.image.TopicImage;
import org.apache.kafka.metadata.PartitionRegistration;
import org.apache.kafka.metadata.Replicas;

/**
 * Decides AlterPartitionReassignments (KIP-455). A partition keeps its old replicas until all that
 * are to stay are in sync; who led and is to go gives the leadership up first. Another target, or a
 * cancellation, refers to the replicas the partition had when the first reassignment began; what
 * was being added and is not wanted any more is dropped at once, a leader among it when it has
 * given up. Throttles are topic configs, which stay as they are.
 */
final class PartitionReassignment {
  private final MetadataDraft draft;
  private final TopicPlacement placement;
  private final boolean mayResize;

  private PartitionReassignment(MetadataDraft draft, TopicPlacement placement, boolean mayResize) {
    this.draft = draft;
    this.placement = placement;
    this.mayResize = mayResize;
  }

  static Decision<AlterPartitionReassignmentsResponseData> decide(
      MetadataImage image,
      ElectionContext context,
      TopicPlacement placement,
      AlterPartitionReassignmentsRequestData request) {
    placement.startDecision();
    MetadataDraft draft = context.draft(image);
    boolean mayResize = request.allowReplicationFactorChange();
    PartitionReassignment reassignment = new PartitionReassignment(draft, placement, mayResize);
    AlterPartitionReassignmentsResponseData response =
        new AlterPartitionReassignmentsResponseData()
            .setAllowReplicationFactorChange(mayResize)
            .setErrorMessage(null);
    for (ReassignableTopic topic : request.topics()) {
      ReassignableTopicResponse result = new ReassignableTopicResponse().setName(topic.name());
      for (ReassignablePartition partition : topic.partitions()) {
        ReassignablePartitionResponse one =
            new ReassignablePartitionResponse()
                .setPartitionIndex(partition.partitionIndex())
                .setErrorMessage(null);
        try {
          reassignment.reassign(topic.name(), partition);
        } catch (Refusal e) {
          one.setErrorCode(e.error().code()).setErrorMessage(e.message());
        }
        result.partitions().add(one);
      }
      response.responses().add(result);
    }
    return draft.decision(response);
  }

  private void reassign(String topicName, ReassignablePartition asked) {
    TopicImage topic = draft.image().topics().getTopic(topicName);
    PartitionRegistration state =
        topic == null ? null : topic.partitions().get(asked.partitionIndex());
    String name = topicName + "-" + asked.partitionIndex();
    if (topic == null || state == null) {
      throw new Refusal(Errors.UNKNOWN_TOPIC_OR_PARTITION, "There is no partition " + name + ".");
    }
    if (draft.isFull()) {
      throw new Refusal(
          Errors.POLICY_VIOLATION,
          "A request may move up to %d partitions; send several."
              .formatted(MetadataDraft.MAX_CHANGES));
    }
    List<Integer> replicas = Replicas.toList(state.replicas);
    List<Integer> originals = without(replicas, Replicas.toList(state.addingReplicas));
    List<Integer> target = asked.replicas();
    if (target == null) {
      if (!isReassigning(state)) {
        throw new Refusal(Errors.NO_REASSIGNMENT_IN_PROGRESS, name + " is not being reassigned.");
      }
      target = originals;
    } else {
      checkTarget(name, target, originals);
    }
    move(new PartitionKey(topic.id(), asked.partitionIndex()), name, state, originals, target);
  }

  static boolean isReassigning(PartitionRegistration state) {
    return state.addingReplicas.length > 0 || state.removingReplicas.length > 0;
  }

  private void move(
      PartitionKey key,
      String name,
      PartitionRegistration state,
      List<Integer> originals,
      List<Integer> target) {
    List<Integer> adding = without(target, originals);
    List<Integer> removing = new ArrayList<>(without(originals, target));
    boolean leaderIsDropped =
        state.hasLeader() && !target.contains(state.leader) && !originals.contains(state.leader);
    if (leaderIsDropped) {
      removing.add(state.leader);
    }
    List<Integer> replicas = new ArrayList<>(target);
    replicas.addAll(removing);
    List<Integer> isr = Replicas.toList(state.isr);
    if (!isr.isEmpty() && isr.stream().noneMatch(replicas::contains)) {
      throw new Refusal(
          Errors.INVALID_REPLICA_ASSIGNMENT,
          "%s would lose all its in-sync replicas, %s: wait until one of %s is in sync."
              .formatted(name, isr, replicas));
    }
    PartitionChange change = draft.change(key);
    for (int added : adding) {
      if (!change.replicas().contains(added)) {
        change.setDirectory(added, placement.chooseFolder(draft.registered(added)));
      }
    }
    change.setReplicas(replicas, adding, removing);
  }

  private void checkTarget(String name, List<Integer> target, List<Integer> originals) {
    if (target.isEmpty()) {
      throw new Refusal(
          Errors.INVALID_REPLICA_ASSIGNMENT, name + " cannot be left without replicas.");
    }
    Set<Integer> seen = new HashSet<>();
    for (int broker : target) {
      if (!seen.add(broker)) {
        throw new Refusal(
            Errors.INVALID_REPLICA_ASSIGNMENT,
            "Broker %d stands twice in the assignment of %s.".formatted(broker, name));
      }
      if (draft.broker(broker) == null) {
        throw new Refusal(
            Errors.INVALID_REPLICA_ASSIGNMENT,
            "There is no broker %d, so %s cannot go there.".formatted(broker, name));
      }
    }
    if (!mayResize && target.size() != originals.size()) {
      throw new Refusal(
          Errors.INVALID_REPLICATION_FACTOR,
          "%s has %d replicas; the request gives it %d and does not allow that to change."
              .formatted(name, originals.size(), target.size()));
    }
  }

  private static List<Integer> without(List<Integer> some, List<Integer> taken) {
    return some.stream().filter(one -> !taken.contains(one)).toList();
  }
}
