package dev.tidemark.broker;

import dev.tidemark.replica.PartitionLeader;
import dev.tidemark.replica.Traffic;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.kafka.common.Uuid;
import org.jspecify.annotations.Nullable;

/** The partitions of one topic that this broker hosts. */
final class HostedTopic {
  private final String name;
  private final Uuid id;
  private final Traffic traffic;
  private @Nullable PartitionLeader[] partitions = new @Nullable PartitionLeader[0];

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

  @Nullable PartitionLeader partition(int index) {
    return index >= 0 && index < partitions.length ? partitions[index] : null;
  }

  void put(int index, PartitionLeader partition) {
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
  List<PartitionLeader> hosted() {
    List<PartitionLeader> hosted = new ArrayList<>(partitions.length);
    for (PartitionLeader partition : partitions) {
      if (partition != null) {
        hosted.add(partition);
      }
    }
    return hosted;
  }
}
