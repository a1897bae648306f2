package dev.tidemark.replica.fetch;

import dev.tidemark.log.LogId;
import java.util.HashMap;
import java.util.Map;

/**
 * One of the two throttles of a broker (KIP-73): a quota for what it sends to followers, or for
 * what its followers fetch, and the partitions that are under it. Without a bound or without
 * partitions it does nothing. Owned by the data shard, told the time.
 */
public final class ReplicationThrottle {
  private final ReplicationQuota quota;
  private final Map<String, ThrottledReplicas> byTopic = new HashMap<>();
  private long changes;

  /** Without a bound. */
  public ReplicationThrottle(QuotaWindow window) {
    this.quota = new ReplicationQuota(window);
  }

  /** Sets the bound, 0 or more; {@code Long.MAX_VALUE} is none. */
  public void bytesPerSecond(long bound) {
    quota.bytesPerSecond(bound);
    changes++;
  }

  /** Which partitions of a topic are under it from now on. */
  public void replicas(String topic, ThrottledReplicas replicas) {
    if (replicas.isEmpty()) {
      byTopic.remove(topic);
    } else {
      byTopic.put(topic, replicas);
    }
    changes++;
  }

  /** How often it was set anew. */
  long changes() {
    return changes;
  }

  /** True of a partition that is under it. */
  boolean covers(LogId id) {
    if (byTopic.isEmpty()) {
      return false; // as nearly always
    }
    ThrottledReplicas replicas = byTopic.get(id.topic());
    return replicas != null && replicas.contains(id.partition());
  }

  /** Counts what a partition under it has sent or fetched. */
  void record(long nowMs, long bytes) {
    quota.record(nowMs, bytes);
  }

  /** True while partitions under it have to wait. */
  boolean isUsedUp(long nowMs) {
    return quota.isUsedUp(nowMs);
  }

  /** How long they have to, 0 when they need not. */
  long freeInMs(long nowMs) {
    return quota.freeInMs(nowMs);
  }
}
