package dev.tidemark.broker;

import dev.tidemark.log.LogId;
import dev.tidemark.log.PartitionLog;
import dev.tidemark.metadata.MetadataView;
import dev.tidemark.metadata.TopicConfigs;
import dev.tidemark.replica.CommittedPartition;
import dev.tidemark.replica.HostedReplica;
import dev.tidemark.replica.PartitionReplica;
import dev.tidemark.replica.ReplicaContext;
import dev.tidemark.replica.RoleListener;
import java.util.Arrays;
import java.util.List;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.metadata.PartitionRegistration;
import org.apache.kafka.metadata.Replicas;
import org.jspecify.annotations.Nullable;

/**
 * Gives the replicas on this broker the roles that cluster metadata name. Owned by the data shard.
 */
final class ReplicaRoles {
  /** Of a partition that is not in the metadata any more: it follows nobody. */
  private static final CommittedPartition GONE =
      new CommittedPartition(-1, -1, -1, List.of(), List.of());

  private final int nodeId;
  private final MetadataView view;
  private final TopicConfigs topicConfigs;
  private final RoleListener followers;
  private final List<Integer> itself;

  ReplicaRoles(int nodeId, MetadataView view, TopicConfigs topicConfigs, RoleListener followers) {
    this.nodeId = nodeId;
    this.view = view;
    this.topicConfigs = topicConfigs;
    this.followers = followers;
    this.itself = List.of(nodeId);
  }

  /** What the metadata say of a partition; null when it is not there. */
  @Nullable PartitionRegistration state(LogId id) {
    return view.partition(id.topicId(), id.partition());
  }

  /** Whether this broker is to have a replica. */
  boolean isAssigned(LogId id) {
    PartitionRegistration state = state(id);
    return state != null && isAssigned(state);
  }

  boolean isAssigned(PartitionRegistration state) {
    return Replicas.contains(state.replicas, nodeId);
  }

  /** The data folder to which this broker's replica is assigned. */
  Uuid directory(PartitionRegistration state) {
    return state.directory(nodeId);
  }

  /** Whether this broker is to lead, and another replica could: one in the ISR or the ELR. */
  boolean isLedInPlaceOfOthers(LogId id) {
    PartitionRegistration state = state(id);
    return state != null && state.leader == nodeId && state.isr.length + state.elr.length > 1;
  }

  /** Whether this broker is to lead. */
  boolean isLed(LogId id) {
    PartitionRegistration state = state(id);
    return state != null && state.leader == nodeId;
  }

  /** A replica over a log that was opened, in the role that the metadata name now. */
  HostedReplica begin(PartitionLog log, long knownHighWatermark, ReplicaContext context) {
    HostedReplica replica = new HostedReplica(log, knownHighWatermark, context, followers);
    apply(replica);
    return replica;
  }

  /** Gives a replica the role that the metadata name now. */
  void apply(HostedReplica replica) {
    LogId id = replica.log().id();
    PartitionRegistration state = state(id);
    int floor = topicConfigs.of(view.image(), id.topic()).minInsyncReplicas();
    PartitionReplica unused = replica.apply(state == null ? GONE : committed(state), floor);
  }

  private CommittedPartition committed(PartitionRegistration state) {
    List<Integer> replicas = list(state.replicas);
    List<Integer> isr =
        Arrays.equals(state.isr, state.replicas) ? replicas : list(state.isr); // as nearly always
    return new CommittedPartition(
        state.leader, state.leaderEpoch, state.partitionEpoch, replicas, isr);
  }

  /** One list for the many partitions that have no other replica. */
  private List<Integer> list(int[] brokers) {
    return brokers.length == 1 && brokers[0] == nodeId ? itself : Replicas.toList(brokers);
  }
}
