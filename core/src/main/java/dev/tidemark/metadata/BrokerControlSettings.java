package dev.tidemark.metadata;

/**
 * What the controller needs to know to look after brokers.
 *
 * @param clusterId the id brokers must name; empty = any
 * @param sessionTimeoutMs broker.session.timeout.ms: silence that fences; at least 1
 * @param fastFencing tidemark.fencing.fast: whether a refused connection counts as a proof
 * @param autoRebalance auto.leader.rebalance.enable
 * @param rebalanceIntervalMs leader.imbalance.check.interval.seconds, in milliseconds; at least 1
 */
public record BrokerControlSettings(
    String clusterId,
    long sessionTimeoutMs,
    boolean fastFencing,
    boolean autoRebalance,
    long rebalanceIntervalMs) {

  /** Kafka's values, for a cluster whose id is not looked at. */
  public static BrokerControlSettings defaults() {
    return new BrokerControlSettings("", 9_000, true, true, 300_000);
  }
}
