package dev.tidemark.broker.control;

import dev.tidemark.metadata.BrokerControlSettings;
import org.apache.kafka.image.MetadataDelta;

/**
 * When the next ordinary heartbeat is due. Brokers of a cluster send theirs together, so that one
 * record answers all of them: whoever sees the record that answered others waits as long from then
 * on as they do. No heartbeat comes later than two intervals, or half a lease, after the one
 * before. Times are of the monotonic clock.
 */
final class HeartbeatRhythm {
  private static final long NONE = Long.MIN_VALUE;

  private final long intervalMs;
  private long maxGapMs;
  private long sentMs;
  private long dueMs = NONE;

  HeartbeatRhythm(LifeSettings settings) {
    intervalMs = settings.heartbeatIntervalMs();
    onSession(settings.sessionTimeoutMs());
  }

  /** A session is so long: of this broker or of its controller, whichever is the shorter. */
  final void onSession(long sessionMs) {
    maxGapMs = Math.min(2 * intervalMs, BrokerControlSettings.leaseMs(sessionMs) / 2);
  }

  /** True for a record that only answers heartbeats. */
  static boolean isAnswerOnly(MetadataDelta delta) {
    return delta.featuresDelta() == null
        && delta.clusterDelta() == null
        && delta.topicsDelta() == null
        && delta.configsDelta() == null
        && delta.clientQuotasDelta() == null
        && delta.producerIdsDelta() == null
        && delta.aclsDelta() == null
        && delta.scramDelta() == null
        && delta.delegationTokenDelta() == null;
  }

  /** Nothing is due before this one has its answer. */
  void onSent(long nowMs) {
    sentMs = nowMs;
    dueMs = NONE;
  }

  /** An ordinary heartbeat is due then. */
  void rest(long untilMs) {
    dueMs = untilMs;
  }

  /** What comes next is no ordinary heartbeat, and waits for nobody. */
  void interrupt() {
    dueMs = NONE;
  }

  /** Others were answered now: true if the heartbeat that is due waits for theirs. */
  boolean isPostponed(long nowMs) {
    return dueMs != NONE && joinMs(nowMs) > dueMs;
  }

  /** When others that were answered now send again, as far as this broker may wait for them. */
  long joinMs(long nowMs) {
    return Math.min(nowMs + intervalMs, sentMs + maxGapMs);
  }
}
