package dev.tidemark.replica.fetch;

/**
 * The time over which a quota is measured: so many spans, the newest one under way.
 *
 * @param spans {@code replication.quota.window.num}, at least 1
 * @param spanMs {@code replication.quota.window.size.seconds} in milliseconds, at least 1
 */
public record QuotaWindow(int spans, long spanMs) {
  private static final QuotaWindow DEFAULTS = new QuotaWindow(11, 1_000);

  public QuotaWindow {
    if (spans < 1 || spanMs < 1) {
      throw new IllegalArgumentException("A quota needs a window, not " + spans + " x " + spanMs);
    }
  }

  /** Kafka's. */
  public static QuotaWindow defaults() {
    return DEFAULTS;
  }

  /** What began so long ago does not count any more. */
  long lengthMs() {
    return spans * spanMs;
  }
}
