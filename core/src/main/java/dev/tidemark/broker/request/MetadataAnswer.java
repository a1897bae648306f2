package dev.tidemark.broker.request;

import dev.tidemark.broker.Request;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.TreeMap;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.internals.Topic;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.MetadataRequestData.MetadataRequestTopic;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseBroker;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponsePartition;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseTopic;
import org.apache.kafka.common.network.ListenerName;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.image.TopicImage;
import org.apache.kafka.metadata.BrokerRegistration;
import org.apache.kafka.metadata.PartitionRegistration;
import org.apache.kafka.metadata.Replicas;

/** Makes the answer to one Metadata request. */
final class MetadataAnswer {
  private static final short FIRST_VERSION_WITH_CLUSTER_OPERATIONS = 8;
  private static final short LAST_VERSION_WITH_CLUSTER_OPERATIONS = 10;

  private final ClusterNodes nodes;
  private final ListenerName listener;
  private final short version;
  private final boolean topicOperations;
  private final boolean clusterOperations;

  MetadataAnswer(ClusterNodes nodes, Request request) {
    MetadataRequestData data = request.data(MetadataRequestData.class);
    this.nodes = nodes;
    this.listener = request.client().listenerName();
    this.version = request.version();
    this.topicOperations = data.includeTopicAuthorizedOperations();
    this.clusterOperations =
        data.includeClusterAuthorizedOperations()
            && version >= FIRST_VERSION_WITH_CLUSTER_OPERATIONS
            && version <= LAST_VERSION_WITH_CLUSTER_OPERATIONS;
  }

  MetadataResponseData ofAllTopics() {
    MetadataResponseData response = brokers();
    Collection<TopicImage> sorted = new TreeMap<>(nodes.image().topics().topicsByName()).values();
    for (TopicImage topic : sorted) {
      response.topics().add(known(topic));
    }
    return response;
  }

  MetadataResponseData of(List<MetadataRequestTopic> topics) {
    MetadataResponseData response = brokers();
    for (MetadataRequestTopic asked : new LinkedHashSet<>(topics)) {
      response.topics().add(one(asked));
    }
    return response;
  }

  private MetadataResponseTopic one(MetadataRequestTopic asked) {
    String name = asked.name();
    boolean byId = name == null || !asked.topicId().equals(Uuid.ZERO_UUID);
    TopicImage topic =
        byId
            ? nodes.image().topics().getTopic(asked.topicId())
            : nodes.image().topics().getTopic(name);
    if (topic != null) {
      return known(topic);
    }
    MetadataResponseTopic unknown =
        new MetadataResponseTopic()
            .setName(name)
            .setTopicId(asked.topicId())
            .setTopicAuthorizedOperations(AuthorizedOperations.NOT_ASKED);
    if (byId) {
      return unknown.setErrorCode(
          asked.topicId().equals(Uuid.ZERO_UUID)
              ? Errors.INVALID_REQUEST.code()
              : Errors.UNKNOWN_TOPIC_ID.code());
    }
    unknown.setIsInternal(Topic.isInternal(name));
    return unknown.setErrorCode(
        Topic.isValid(name)
            ? Errors.UNKNOWN_TOPIC_OR_PARTITION.code()
            : Errors.INVALID_TOPIC_EXCEPTION.code());
  }

  private MetadataResponseTopic known(TopicImage topic) {
    MetadataResponseTopic answer =
        new MetadataResponseTopic()
            .setErrorCode(Errors.NONE.code())
            .setName(topic.name())
            .setTopicId(topic.id())
            .setIsInternal(Topic.isInternal(topic.name()))
            .setTopicAuthorizedOperations(AuthorizedOperations.topic(topicOperations));
    List<MetadataResponsePartition> partitions = new ArrayList<>(topic.partitions().size());
    for (int id = 0; partitions.size() < topic.partitions().size(); id++) {
      PartitionRegistration partition = topic.partitions().get(id);
      if (partition != null) {
        partitions.add(partition(topic.name(), id, partition));
      }
    }
    return answer.setPartitions(partitions);
  }

  private MetadataResponsePartition partition(
      String topic, int id, PartitionRegistration partition) {
    MetadataResponsePartition answer =
        new MetadataResponsePartition()
            .setPartitionIndex(id)
            .setLeaderId(partition.leader)
            .setLeaderEpoch(partition.leaderEpoch)
            .setReplicaNodes(Replicas.toList(partition.replicas))
            .setIsrNodes(Replicas.toList(partition.isr))
            .setOfflineReplicas(nodes.offlineReplicas(topic, id, partition, listener));
    if (nodes.alive(partition.leader, listener) == null) {
      BrokerRegistration leader = nodes.image().cluster().broker(partition.leader);
      boolean lives = leader != null && !leader.fenced();
      Errors error = lives ? Errors.LISTENER_NOT_FOUND : Errors.LEADER_NOT_AVAILABLE;
      answer.setErrorCode(error.code()).setLeaderId(-1);
    } else if (!nodes.isServed(topic, id, partition, listener)) {
      answer.setErrorCode(Errors.LEADER_NOT_AVAILABLE.code()).setLeaderId(-1);
    }
    return answer;
  }

  private MetadataResponseData brokers() {
    MetadataResponseData response =
        new MetadataResponseData()
            .setClusterId(nodes.clusterId())
            .setControllerId(nodes.controllerId(listener))
            .setClusterAuthorizedOperations(AuthorizedOperations.cluster(clusterOperations));
    for (ClusterNodes.BrokerNode broker : nodes.all(listener, false)) {
      Node node = broker.node();
      response
          .brokers()
          .add(
              new MetadataResponseBroker()
                  .setNodeId(node.id())
                  .setHost(node.host())
                  .setPort(node.port())
                  .setRack(node.rack()));
    }
    return response;
  }
}
