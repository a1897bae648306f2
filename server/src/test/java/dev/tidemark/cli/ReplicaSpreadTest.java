package dev.tidemark.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

class ReplicaSpreadTest {
  private final Map<TopicPartition, List<Integer>> topic = new TreeMap<>(ClusterState.ORDER);

  private void add(Integer... replicas) {
    topic.put(new TopicPartition("t", topic.size()), List.of(replicas));
  }

  private List<Integer> load(Map<TopicPartition, List<Integer>> changes, int brokers) {
    Map<TopicPartition, List<Integer>> all = new TreeMap<>(ClusterState.ORDER);
    all.putAll(topic);
    all.putAll(changes);
    List<Integer> load = new ArrayList<>();
    for (int id = 1; id <= brokers; id++) {
      int broker = id;
      load.add((int) all.values().stream().filter(ids -> ids.contains(broker)).count());
    }
    all.values().forEach(ids -> assertThat(ids).doesNotHaveDuplicates());
    return load;
  }

  @Test
  void whoTakesAPlaceTakesTheRankToo() {
    add(1, 2);
    add(2, 1);
    ReplicaSpread spread = new ReplicaSpread(topic, List.of(1, 3), topic);
    assertThat(spread.vacate(id -> id == 2)).isTrue();
    assertThat(spread.changes().values()).containsExactly(List.of(1, 3), List.of(3, 1));
  }

  @Test
  void theEmptiestBrokerGetsWhatMoves() {
    add(1, 2);
    add(1, 3);
    add(2, 4);
    ReplicaSpread spread = new ReplicaSpread(topic, List.of(2, 3, 4), topic);
    assertThat(spread.vacate(id -> id == 1)).isTrue();
    assertThat(load(spread.changes(), 4)).containsExactly(0, 2, 2, 2);
  }

  @Test
  void whereTooFewAreLeftNothingIsMoved() {
    add(1, 2);
    ReplicaSpread spread = new ReplicaSpread(topic, List.of(1), topic);
    assertThat(spread.vacate(id -> id == 2)).isFalse();
  }

  @Test
  void aNewBrokerGetsItsShareAndNoMoreMovesThanThat() {
    for (int i = 0; i < 4; i++) {
      add(1, 2, 3);
    }
    ReplicaSpread spread = new ReplicaSpread(topic, List.of(1, 2, 3, 4), topic);
    assertThat(spread.vacate(id -> false)).isTrue();
    spread.even();
    assertThat(load(spread.changes(), 4)).containsExactly(3, 3, 3, 3);
    assertThat(spread.changes()).hasSize(3);
  }

  @Test
  void whatIsEvenStays() {
    add(1, 2);
    add(3, 1);
    add(2, 3);
    ReplicaSpread spread = new ReplicaSpread(topic, List.of(1, 2, 3), topic);
    spread.even();
    assertThat(spread.changes()).isEmpty();
  }
}
