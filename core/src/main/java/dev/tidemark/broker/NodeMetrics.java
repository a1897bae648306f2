package dev.tidemark.broker;

import dev.tidemark.broker.metrics.MetricVisitor;
import dev.tidemark.broker.metrics.RequestMetrics;
import dev.tidemark.log.PartitionLog;
import dev.tidemark.metadata.MetadataView;
import dev.tidemark.replica.HostedReplica;
import dev.tidemark.replica.PartitionLeader;
import dev.tidemark.replica.PartitionReplica;
import dev.tidemark.replica.Traffic;
import java.util.List;
import org.apache.kafka.image.MetadataImage;
import org.apache.kafka.image.TopicImage;
import org.apache.kafka.metadata.BrokerRegistration;
import org.apache.kafka.metadata.PartitionRegistration;
import org.jspecify.annotations.Nullable;

/**
 * What a node tells of itself when it is asked, under the names that dashboards for Apache Kafka
 * know from its JMX exporter. Nothing is computed until then. To be used on the data shard.
 */
public final class NodeMetrics {
  /** Partitions that are told of before others on the shard get their turn. */
  private static final int PARTITIONS_AT_A_TIME = 500;

  /** Kafka's number for a broker that serves. */
  private static final int RUNNING = 3;

  private static final String NO_LABELS = "";

  private final Partitions partitions;
  private final MetadataView view;
  private final RequestMetrics requests;
  private final HostedLogs logs;

  NodeMetrics(Partitions partitions, MetadataView view, RequestMetrics requests, HostedLogs logs) {
    this.logs = logs;
    this.partitions = partitions;
    this.view = view;
    this.requests = requests;
  }

  /** Tells of the node as a whole. */
  public void visitNode(MetricVisitor visitor) {
    visitor.gauge("kafka_server_kafkaserver_brokerstate", NO_LABELS, RUNNING);
    visitReplicas(visitor);
    visitCluster(visitor);
    visitTraffic(visitor, NO_LABELS, partitions.traffic());
    requests.visit(visitor);
  }

  /** How many replicas are here, and how the partitions are that are led here. */
  private static final class ReplicaCounts {
    private int all;
    private int leaders;
    private int underReplicated;
    private int underMinIsr;
    private int atMinIsr;

    void add(PartitionReplica role) {
      all++;
      if (role instanceof PartitionLeader leader) {
        leaders++;
        underReplicated += leader.isUnderReplicated() ? 1 : 0;
        underMinIsr += leader.isBelowMinimum() ? 1 : 0;
        atMinIsr += leader.isAtMinimum() ? 1 : 0;
      }
    }
  }

  private void visitReplicas(MetricVisitor visitor) {
    ReplicaCounts counts = new ReplicaCounts();
    partitions.forEach(counts::add);
    int offline = partitions.offline().size();
    int offlineDirs = logs.folders().size() - logs.onlineFolders().size();
    gauge(visitor, "kafka_log_logmanager_offlinelogdirectorycount", offlineDirs);
    gauge(visitor, "kafka_server_replicamanager_leadercount", counts.leaders);
    gauge(visitor, "kafka_server_replicamanager_partitioncount", counts.all + offline);
    gauge(visitor, "kafka_server_replicamanager_underreplicatedpartitions", counts.underReplicated);
    gauge(visitor, "kafka_server_replicamanager_underminisrpartitioncount", counts.underMinIsr);
    gauge(visitor, "kafka_server_replicamanager_atminisrpartitioncount", counts.atMinIsr);
    gauge(visitor, "kafka_server_replicamanager_offlinereplicacount", offline);
  }

  private void visitCluster(MetricVisitor visitor) {
    MetadataImage image = view.image();
    int all = 0;
    int leaderless = 0;
    for (TopicImage topic : image.topics().topicsByName().values()) {
      for (PartitionRegistration partition : topic.partitions().values()) {
        all++;
        leaderless += partition.hasLeader() ? 0 : 1;
      }
    }
    int fenced = 0;
    for (BrokerRegistration broker : image.cluster().brokers().values()) {
      fenced += broker.fenced() ? 1 : 0;
    }
    int active = image.cluster().brokers().size() - fenced;
    gauge(visitor, "kafka_controller_kafkacontroller_activecontrollercount", 1);
    gauge(visitor, "kafka_controller_kafkacontroller_activebrokercount", active);
    gauge(visitor, "kafka_controller_kafkacontroller_fencedbrokercount", fenced);
    int topics = image.topics().topicsByName().size();
    gauge(visitor, "kafka_controller_kafkacontroller_globaltopiccount", topics);
    gauge(visitor, "kafka_controller_kafkacontroller_globalpartitioncount", all);
    gauge(visitor, "kafka_controller_kafkacontroller_offlinepartitionscount", leaderless);
  }

  private static void gauge(MetricVisitor visitor, String name, long value) {
    visitor.gauge(name, NO_LABELS, value);
  }

  private static void visitTraffic(MetricVisitor visitor, String labels, Traffic traffic) {
    String prefix = "kafka_server_brokertopicmetrics_";
    visitor.counter(prefix + "messagesin_total", labels, traffic.messagesIn());
    visitor.counter(prefix + "bytesin_total", labels, traffic.bytesIn());
    visitor.counter(prefix + "bytesout_total", labels, traffic.bytesOut());
    visitor.counter(prefix + "totalproducerequests_total", labels, traffic.produceRequests());
    visitor.counter(prefix + "totalfetchrequests_total", labels, traffic.fetchRequests());
    visitor.counter(
        prefix + "failedproducerequests_total", labels, traffic.failedProduceRequests());
    visitor.counter(prefix + "failedfetchrequests_total", labels, traffic.failedFetchRequests());
  }

  /**
   * Tells of the topics hosted here that follow {@code after}, or from the first one on, and of
   * their partitions; of a part of them when there are many.
   *
   * @return the name to go on after, or null at the end
   */
  public @Nullable String visitTopics(MetricVisitor visitor, @Nullable String after) {
    int told = 0;
    for (HostedTopic topic : partitions.topicsAfter(after)) {
      List<HostedReplica> hosted = topic.hosted();
      visitTraffic(visitor, "topic=\"" + topic.name() + "\"", topic.traffic());
      hosted.forEach(partition -> visitLog(visitor, partition.log()));
      told += hosted.size();
      if (told >= PARTITIONS_AT_A_TIME) {
        return topic.name();
      }
    }
    return null;
  }

  private static void visitLog(MetricVisitor visitor, PartitionLog log) {
    String labels = "topic=\"" + log.id().topic() + "\",partition=\"" + log.id().partition() + "\"";
    visitor.gauge("kafka_log_log_size", labels, log.sizeInBytes());
    visitor.gauge("kafka_log_log_numlogsegments", labels, log.segmentCount());
    visitor.gauge("kafka_log_log_logstartoffset", labels, log.logStartOffset());
    visitor.gauge("kafka_log_log_logendoffset", labels, log.logEndOffset());
  }
}
