package dev.tidemark.cli;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.DescribeClusterOptions;
import org.apache.kafka.clients.admin.ListTopicsOptions;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.TopicPartitionInfo;

/**
 * The brokers and partitions of a cluster as it tells them at one time.
 *
 * @param brokers all that are registered, by id
 * @param partitions all partitions, those of the brokers' own topics too, by topic and number
 */
record ClusterState(List<Node> brokers, Map<TopicPartition, TopicPartitionInfo> partitions) {
  static final Comparator<TopicPartition> ORDER =
      Comparator.comparing(TopicPartition::topic).thenComparingInt(TopicPartition::partition);

  static ClusterState ask(Admin admin) throws CommandFailure, InterruptedException {
    Collection<Node> nodes =
        AdminCommand.await(
            admin.describeCluster(new DescribeClusterOptions().includeFencedBrokers(true)).nodes());
    Collection<String> names =
        AdminCommand.await(admin.listTopics(new ListTopicsOptions().listInternal(true)).names());
    Map<String, TopicDescription> topics =
        AdminCommand.await(admin.describeTopics(names).allTopicNames());
    Map<TopicPartition, TopicPartitionInfo> partitions = new TreeMap<>(ORDER);
    topics.forEach(
        (name, topic) ->
            topic
                .partitions()
                .forEach(one -> partitions.put(new TopicPartition(name, one.partition()), one)));
    return new ClusterState(
        nodes.stream().sorted(Comparator.comparingInt(Node::id)).toList(), partitions);
  }

  /** The ids of the brokers that serve. */
  List<Integer> serving() {
    return brokers.stream().filter(node -> !node.isFenced()).map(Node::id).toList();
  }

  void requireRegistered(int id) throws CommandFailure {
    if (brokers.stream().noneMatch(node -> node.id() == id)) {
      throw CommandFailure.failed(
          "there is no broker " + id + "; 'tidemark broker list' shows those there are");
    }
  }

  /** The replicas of each partition that has one on that broker; those of all after -1. */
  Map<TopicPartition, List<Integer>> replicas(int onBroker) {
    Map<TopicPartition, List<Integer>> found = new TreeMap<>(ORDER);
    partitions.forEach(
        (partition, info) -> {
          List<Integer> ids = ids(info.replicas());
          if (onBroker < 0 || ids.contains(onBroker)) {
            found.put(partition, ids);
          }
        });
    return found;
  }

  static List<Integer> ids(List<Node> nodes) {
    return new ArrayList<>(nodes.stream().map(Node::id).toList());
  }
}
