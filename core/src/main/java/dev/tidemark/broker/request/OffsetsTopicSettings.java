package dev.tidemark.broker.request;

import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.image.MetadataImage;

/**
 * How {@code __consumer_offsets} is created.
 *
 * @param numPartitions offsets.topic.num.partitions
 * @param maxReplicationFactor offsets.topic.replication.factor; fewer where there are fewer brokers
 * @param segmentBytes offsets.topic.segment.bytes
 */
public record OffsetsTopicSettings(int numPartitions, int maxReplicationFactor, int segmentBytes) {
  private static final int NUM_PARTITIONS = 50;
  private static final int REPLICATION_FACTOR = 3;
  private static final int SEGMENT_BYTES = 104_857_600;

  /** From the texts of server.properties, which were checked. */
  public static OffsetsTopicSettings of(Map<String, String> properties) {
    return new OffsetsTopicSettings(
        number(properties, "offsets.topic.num.partitions", NUM_PARTITIONS),
        number(properties, "offsets.topic.replication.factor", REPLICATION_FACTOR),
        number(properties, "offsets.topic.segment.bytes", SEGMENT_BYTES));
  }

  private static int number(Map<String, String> properties, String key, int defaultValue) {
    String text = properties.get(key);
    return text == null ? defaultValue : Integer.parseInt(text.trim());
  }

  short replicationFactor(MetadataImage image) {
    int brokers = Math.max(1, image.cluster().brokers().size());
    return (short) Math.min(maxReplicationFactor, brokers);
  }

  Map<String, String> configs() {
    Map<String, String> configs = new TreeMap<>();
    configs.put("cleanup.policy", "compact");
    configs.put("compression.type", "producer");
    configs.put("segment.bytes", Integer.toString(segmentBytes));
    return configs;
  }
}
