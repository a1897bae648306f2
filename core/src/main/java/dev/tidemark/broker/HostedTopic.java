package dev.tidemark.broker;

import dev.tidemark.replica.HostedReplica;
import dev.tidemark.replica.Traffic;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;
import java.util.function.Function;
import org.apache.kafka.common.Uuid;
import org.jspecify.annotations.Nullable;

/**
 * The partitions of one topic that this broker hosts. New ones may be awaited: they are made when
 * they are asked for, or when there is time.
 */
final class HostedTopic {
  private final String name;
  private final Uuid id;
  private final Traffic traffic;
  private @Nullable HostedReplica[] partitions = new @Nullable HostedReplica[0];
  private @Nullable TreeMap<Integer, AssignedLog> awaited;

  HostedTopic(String name, Uuid id, Traffic nodeTraffic) {
    this.name = name;
    this.id = id;
    this.traffic = new Traffic(nodeTraffic);
  }

  String name() {
    return name;
  }

  Uuid id() {
    return id;
  }

  Traffic traffic() {
    return traffic;
  }

  @Nullable HostedReplica partition(int index) {
    return index >= 0 && index < partitions.length ? partitions[index] : null;
  }

  void await(AssignedLog log) {
    if (awaited == null) {
      awaited = new TreeMap<>();
    }
    awaited.put(log.id().partition(), log);
  }

  /** Forgets an awaited partition, if it is one. */
  void awaitNoMore(int index) {
    if (awaited != null && awaited.remove(index) != null && awaited.isEmpty()) {
      awaited = null;
    }
  }

  boolean awaitsAny() {
    return awaited != null;
  }

  /** Makes an awaited partition; null if it is not awaited or cannot be made. */
  @Nullable HostedReplica make(int index, Function<AssignedLog, @Nullable HostedReplica> maker) {
    AssignedLog log = awaited == null ? null : awaited.remove(index);
    return log == null ? null : made(maker.apply(log));
  }

  /** Makes the first awaited partition, if any. */
  void makeNext(Function<AssignedLog, @Nullable HostedReplica> maker) {
    if (awaited != null && !awaited.isEmpty()) {
      HostedReplica unused = made(maker.apply(awaited.pollFirstEntry().getValue()));
    }
  }

  private @Nullable HostedReplica made(@Nullable HostedReplica partition) {
    if (awaited != null && awaited.isEmpty()) {
      awaited = null;
    }
    return partition;
  }

  void put(int index, HostedReplica partition) {
    if (index >= partitions.length) {
      partitions = Arrays.copyOf(partitions, Math.max(index + 1, partitions.length * 2));
    }
    partitions[index] = partition;
    partition.countIn(traffic);
  }

  void remove(int index) {
    if (partition(index) != null) {
      partitions[index] = null;
    }
  }

  /** The hosted partitions, gaps left out. */
  List<HostedReplica> hosted() {
    List<HostedReplica> hosted = new ArrayList<>(partitions.length);
    for (HostedReplica partition : partitions) {
      if (partition != null) {
        hosted.add(partition);
      }
    }
    return hosted;
  }
}
