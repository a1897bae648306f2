package dev.tidemark.fault;

import dev.tidemark.process.NodeCluster;
import dev.tidemark.process.NodeUnderTest;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.NewPartitionReassignment;
import org.apache.kafka.common.ElectionType;
import org.apache.kafka.common.TopicPartition;

/** What is done to a cluster under load; each leaves all nodes running. */
enum Fault {
  /** One process ends at once and comes back. */
  KILL {
    @Override
    void run(NodeCluster cluster, String topic, Random random) throws Exception {
      NodeUnderTest node = any(cluster, random);
      node.kill();
      pause(random, 4000);
      node.start();
    }
  },
  /** Two of them do. */
  KILL_TWO {
    @Override
    void run(NodeCluster cluster, String topic, Random random) throws Exception {
      List<NodeUnderTest> two = shuffled(cluster, random).subList(0, 2);
      for (NodeUnderTest node : two) {
        node.kill();
      }
      pause(random, 2000);
      for (NodeUnderTest node : two) {
        node.start();
      }
    }
  },
  /** One process is stopped in order and comes back. */
  STOP {
    @Override
    void run(NodeCluster cluster, String topic, Random random) throws Exception {
      NodeUnderTest node = any(cluster, random);
      node.stop();
      pause(random, 2000);
      node.start();
    }
  },
  /** One process does nothing for a while, which may be longer than its session. */
  FREEZE {
    @Override
    void run(NodeCluster cluster, String topic, Random random) throws Exception {
      NodeUnderTest node = any(cluster, random);
      node.freeze();
      pause(random, 14_000);
      node.thaw();
    }
  },
  /** One is frozen while another is killed, and wakes when that is back. */
  FREEZE_AND_KILL {
    @Override
    void run(NodeCluster cluster, String topic, Random random) throws Exception {
      List<NodeUnderTest> two = shuffled(cluster, random).subList(0, 2);
      two.get(0).freeze();
      pause(random, 2000);
      two.get(1).kill();
      pause(random, 2000);
      two.get(1).start();
      pause(random, 2000);
      two.get(0).thaw();
    }
  },
  /** Replicas move, and with them the leader. */
  REASSIGN {
    @Override
    void run(NodeCluster cluster, String topic, Random random) throws Exception {
      Map<TopicPartition, Optional<NewPartitionReassignment>> moves = new HashMap<>();
      try {
        int partitions = cluster.describe(topic).partitions().size();
        for (int i = 0; i < partitions; i++) {
          List<Integer> replicas =
              new ArrayList<>(shuffled(cluster, random).stream().map(NodeUnderTest::id).toList());
          int count = random.nextBoolean() ? replicas.size() : 2;
          moves.put(
              new TopicPartition(topic, i),
              Optional.of(new NewPartitionReassignment(replicas.subList(0, count))));
        }
        cluster.admin().alterPartitionReassignments(moves).all().get();
        pause(random, 3000);
        cluster.admin().electLeaders(ElectionType.PREFERRED, moves.keySet()).all().get();
      } catch (ExecutionException e) {
        // No controller for a moment, or nothing to elect: what the load sees is what counts.
      }
    }
  };

  abstract void run(NodeCluster cluster, String topic, Random random) throws Exception;

  private static NodeUnderTest any(NodeCluster cluster, Random random) {
    return cluster.nodes().get(random.nextInt(cluster.nodes().size()));
  }

  private static List<NodeUnderTest> shuffled(NodeCluster cluster, Random random) {
    List<NodeUnderTest> nodes = new ArrayList<>(cluster.nodes());
    Collections.shuffle(nodes, random);
    return nodes;
  }

  /** Faults take time; of when they end nobody tells. */
  static void pause(Random random, int maxMs) throws InterruptedException {
    Thread.sleep(random.nextInt(maxMs));
  }
}
