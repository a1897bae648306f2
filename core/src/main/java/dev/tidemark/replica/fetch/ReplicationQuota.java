package dev.tidemark.replica.fetch;

import java.util.ArrayDeque;

/**
 * An upper bound for bytes per second, measured as Kafka measures it (KIP-73): all bytes of the
 * window over the time since its oldest span began, but at least the time of one span. It is used
 * up when the bytes are more than that time allows. Bytes are counted after they were let through,
 * so it may be exceeded for a while; the average holds. Owned by the shard, told the time.
 */
final class ReplicationQuota {
  /** No bound. */
  static final long UNBOUNDED = Long.MAX_VALUE;

  private static final class Span {
    private final long startMs;
    private long bytes;

    Span(long startMs) {
      this.startMs = startMs;
    }
  }

  private final QuotaWindow window;
  private final ArrayDeque<Span> spans = new ArrayDeque<>();
  private long bytesPerSecond = UNBOUNDED;
  private long totalBytes;

  ReplicationQuota(QuotaWindow window) {
    this.window = window;
  }

  /** Sets the bound, 0 or more; what was counted before counts on. */
  void bytesPerSecond(long bound) {
    bytesPerSecond = bound;
  }

  /** Counts bytes that were let through. */
  void record(long nowMs, long bytes) {
    expire(nowMs);
    Span newest = spans.peekLast();
    if (newest == null || nowMs - newest.startMs >= window.spanMs()) {
      newest = new Span(nowMs);
      spans.add(newest);
    }
    newest.bytes += bytes;
    totalBytes += bytes;
  }

  private void expire(long nowMs) {
    for (Span oldest = spans.peek();
        oldest != null && nowMs - oldest.startMs >= window.lengthMs();
        oldest = spans.peek()) {
      totalBytes -= oldest.bytes;
      spans.remove();
    }
  }

  /** True while nothing more is to be let through. */
  boolean isUsedUp(long nowMs) {
    return bytesPerSecond != UNBOUNDED && freeInMs(nowMs) > 0;
  }

  /** How long it is used up if nothing more is counted: 0 when it is not. */
  long freeInMs(long nowMs) {
    if (bytesPerSecond == UNBOUNDED) {
      return 0;
    }
    expire(nowMs);
    long bytes = totalBytes;
    long fromMs = nowMs; // from then on the span looked at is the oldest
    for (Span oldest : spans) {
      long neededMs = neededMs(bytes);
      if (neededMs <= window.spanMs()) {
        return fromMs - nowMs;
      }
      if (neededMs < window.lengthMs()) {
        return Math.max(fromMs, oldest.startMs + neededMs) - nowMs;
      }
      bytes -= oldest.bytes;
      fromMs = oldest.startMs + window.lengthMs();
    }
    return fromMs - nowMs;
  }

  /** The time in which the bound allows so many bytes. */
  private long neededMs(long bytes) {
    if (bytes == 0) {
      return 0;
    }
    if (bytesPerSecond == 0) {
      return Long.MAX_VALUE;
    }
    long thousandths = bytes * 1_000;
    return thousandths / bytesPerSecond + (thousandths % bytesPerSecond == 0 ? 0 : 1);
  }
}
