package dev.tidemark.metadata;

import java.util.Map;
import java.util.OptionalInt;
import java.util.TreeMap;

/**
 * What the controller needs of server.properties.
 *
 * @param nodeId this node
 * @param numPartitions of topics that are created without a count
 * @param defaultReplicationFactor of topics that are created without one; empty = 3, or as many as
 *     there are brokers when they are fewer
 * @param deleteTopicEnable whether topics may be deleted
 * @param properties the file's texts by key, the lowest level of every topic's configs
 */
public record ControllerSettings(
    int nodeId,
    int numPartitions,
    OptionalInt defaultReplicationFactor,
    boolean deleteTopicEnable,
    Map<String, String> properties) {
  public ControllerSettings {
    properties = new TreeMap<>(properties);
  }
}
