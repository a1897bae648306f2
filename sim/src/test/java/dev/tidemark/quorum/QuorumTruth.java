package dev.tidemark.quorum;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What any member was ever told, which no member may ever be told otherwise. */
final class QuorumTruth {
  private record Told(long baseOffset, int epoch, List<String> topics) {}

  private final TreeMap<Long, Told> batches = new TreeMap<>(); // by last offset
  private final Map<Integer, Integer> leaders = new TreeMap<>(); // by epoch

  void onCommit(int nodeId, MetadataBatch batch, List<String> topics) {
    Told told = new Told(batch.baseOffset(), batch.epoch(), topics);
    Told before = batches.putIfAbsent(batch.lastOffset(), told);
    assertThat(told)
        .as("node %s at offset %s", nodeId, batch.lastOffset())
        .isEqualTo(before == null ? told : before);
    Map.Entry<Long, Told> next = batches.higherEntry(batch.lastOffset());
    if (next != null) {
      assertThat(next.getValue().baseOffset())
          .as("node %s: what follows offset %s", nodeId, batch.lastOffset())
          .isGreaterThan(batch.lastOffset());
    }
  }

  /** A snapshot holds what was told below its end, which somebody was told before. */
  void onSnapshot(int nodeId, long lastOffset, List<String> topics) {
    List<String> expected = new ArrayList<>();
    batches.headMap(lastOffset, true).values().forEach(told -> expected.addAll(told.topics()));
    assertThat(topics)
        .as("node %s: the snapshot up to offset %s", nodeId, lastOffset)
        .isEqualTo(expected);
  }

  void onLeaderChange(int nodeId, Leadership leadership) {
    if (leadership.leaderId() != Leadership.NONE) {
      Integer before = leaders.putIfAbsent(leadership.epoch(), leadership.leaderId());
      assertThat(leadership.leaderId())
          .as("node %s: the leader of epoch %s", nodeId, leadership.epoch())
          .isEqualTo(before == null ? leadership.leaderId() : before);
    }
    if (leadership.isActive()) {
      assertThat(leadership.leaderId()).isEqualTo(nodeId);
    }
  }

  /** All topics in their order. */
  List<String> topics() {
    List<String> all = new ArrayList<>();
    batches.values().forEach(told -> all.addAll(told.topics()));
    return all;
  }
}
