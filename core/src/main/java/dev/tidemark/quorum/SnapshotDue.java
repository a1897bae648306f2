package dev.tidemark.quorum;

import dev.tidemark.env.Clock;

/** When the metadata log is to be summed up: after so many bytes, or so long after the first. */
final class SnapshotDue {
  /** Between attempts at a snapshot: a disk that fails is not tried with each commit. */
  private static final long PAUSE_MS = 10_000;

  private static final long NEVER = -1;

  private final SnapshotSettings settings;
  private final Clock clock;
  private long bytes;
  private long sinceMs = NEVER;
  private long nextTryMs = Long.MIN_VALUE;

  SnapshotDue(SnapshotSettings settings, Clock clock) {
    this.settings = settings;
    this.clock = clock;
  }

  /** So much more was committed, written at that time. */
  void add(long moreBytes, long appendTimeMs) {
    bytes += moreBytes;
    sinceMs = sinceMs == NEVER ? appendTimeMs : sinceMs;
  }

  boolean isDue() {
    if (clock.monotonicMs() < nextTryMs) {
      return false;
    }
    long intervalMs = settings.maxIntervalMs();
    return bytes >= settings.maxBytes()
        || (intervalMs > 0 && bytes > 0 && clock.wallMs() - sinceMs >= intervalMs);
  }

  void onTry() {
    nextTryMs = clock.monotonicMs() + PAUSE_MS;
  }

  /** There is a snapshot of all so far. */
  void onTaken() {
    bytes = 0;
    sinceMs = clock.wallMs();
  }
}
