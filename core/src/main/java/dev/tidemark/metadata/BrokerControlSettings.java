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

  /** The part of a session that is left for clocks of different speed. */
  private static final int LEASE_MARGIN_DIVISOR = 9;

  /** How long a broker may lead after a heartbeat that is acknowledged: less than a session. */
  public static long leaseMs(long sessionMs) {
    return sessionMs - Math.max(1, sessionMs / LEASE_MARGIN_DIVISOR);
  }

  /** Kafka's values, for a cluster whose id is not looked at. */
  public static BrokerControlSettings defaults() {
    return new BrokerControlSettings("", 9_000, true, true, 300_000);
  }
}
