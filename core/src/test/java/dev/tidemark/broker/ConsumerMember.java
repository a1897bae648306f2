package dev.tidemark.broker;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatRequestData;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatResponseData;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.ConsumerGroupHeartbeatRequest;
import org.apache.kafka.common.requests.ConsumerGroupHeartbeatResponse;

/**
 * A member of a group of the new protocol (KIP-848) that reads "orders": it takes what it is given
 * and tells with its next heartbeat what it has.
 */
final class ConsumerMember {
  private static final int LEAVES = -1;
  private static int count;

  private final GroupClient groups;
  private final String group;
  private final String id = new Uuid(7, ++count).toString();
  private int epoch;
  private final TreeSet<Integer> partitions = new TreeSet<>();

  ConsumerMember(GroupClient groups, String group) {
    this.groups = groups;
    this.group = group;
  }

  String id() {
    return id;
  }

  int epoch() {
    return epoch;
  }

  /** As one who has forgotten, or never learned, which epoch it has. */
  void epoch(int other) {
    epoch = other;
  }

  List<Integer> partitions() {
    return List.copyOf(partitions);
  }

  /** Joins with the first one; goes on with the epoch and the partitions of the answer. */
  Errors heartbeat() {
    ConsumerGroupHeartbeatResponseData answer = beat(epoch);
    Errors error = Errors.forCode(answer.errorCode());
    if (error == Errors.NONE) {
      epoch = answer.memberEpoch();
      if (answer.assignment() != null) {
        partitions.clear();
        answer.assignment().topicPartitions().forEach(one -> partitions.addAll(one.partitions()));
      }
    }
    return error;
  }

  Errors leave() {
    return Errors.forCode(beat(LEAVES).errorCode());
  }

  private ConsumerGroupHeartbeatResponseData beat(int withEpoch) {
    if (withEpoch == 0) {
      partitions.clear();
    }
    ConsumerGroupHeartbeatRequestData data =
        new ConsumerGroupHeartbeatRequestData()
            .setGroupId(group)
            .setMemberId(id)
            .setMemberEpoch(withEpoch)
            .setRebalanceTimeoutMs(30_000)
            .setSubscribedTopicNames(withEpoch == 0 ? List.of("orders") : null)
            .setTopicPartitions(owned());
    return groups
        .plane()
        .call(
            new ConsumerGroupHeartbeatRequest.Builder(data).build(),
            ConsumerGroupHeartbeatResponse.class)
        .data();
  }

  private List<ConsumerGroupHeartbeatRequestData.TopicPartitions> owned() {
    if (partitions.isEmpty()) {
      return List.of();
    }
    return List.of(
        new ConsumerGroupHeartbeatRequestData.TopicPartitions()
            .setTopicId(groups.ordersId())
            .setPartitions(new ArrayList<>(partitions)));
  }
}
