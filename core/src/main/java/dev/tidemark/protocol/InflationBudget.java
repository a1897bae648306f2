package dev.tidemark.protocol;

/**
 * How many bytes the compressed batches of one request may still become while they are checked. A
 * few bytes can stand for gigabytes, so the work that a request asks for is bounded by this and not
 * by its size. Used by one thread at a time.
 */
public final class InflationBudget {
  /**
   * No batch may become more. Java clients collect at most max.request.size (1 MiB by default)
   * before they compress it.
   */
  public static final long MAX_OF_BATCH = 128L << 20;

  /** A request may become so many times its size, if that is more than one batch may become. */
  private static final long MAX_GROWTH = 32;

  private long leftBytes;

  private InflationBudget(long bytes) {
    this.leftBytes = bytes;
  }

  /** For a request of that many bytes. */
  public static InflationBudget ofRequest(int requestBytes) {
    return new InflationBudget(Math.max(MAX_OF_BATCH, requestBytes * MAX_GROWTH));
  }

  /** At most {@code bytes}. */
  public static InflationBudget of(long bytes) {
    return new InflationBudget(bytes);
  }

  /** What the next batch may become. */
  public long ofBatch() {
    return Math.min(leftBytes, MAX_OF_BATCH);
  }

  /** A batch became so much, or got so far. */
  void spend(long bytes) {
    leftBytes = Math.max(0, leftBytes - bytes);
  }

  /** True when nothing is left. */
  public boolean isSpent() {
    return leftBytes == 0;
  }
}
