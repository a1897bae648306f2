package dev.tidemark.broker.control;

/**
 * How a broker stands to its controller. Times are in milliseconds.
 *
 * @param clusterId the cluster its folders belong to
 * @param sessionTimeoutMs broker.session.timeout.ms
 * @param heartbeatIntervalMs broker.heartbeat.interval.ms
 * @param registrationTimeoutMs initial.broker.registration.timeout.ms
 */
public record LifeSettings(
    String clusterId, int sessionTimeoutMs, int heartbeatIntervalMs, int registrationTimeoutMs) {}
