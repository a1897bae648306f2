package dev.tidemark.replica.fetch;

/**
 * How followers fetch.
 *
 * @param maxWaitMs {@code replica.fetch.wait.max.ms}: how long a leader may wait for data
 * @param minBytes {@code replica.fetch.min.bytes}: it need not wait for more
 * @param maxBytes {@code replica.fetch.response.max.bytes}: of one answer, but for a first batch
 * @param partitionMaxBytes {@code replica.fetch.max.bytes}: of one partition, likewise
 * @param backoffMs {@code replica.fetch.backoff.ms}: the pause after something went wrong
 * @param timeoutMs {@code replica.socket.timeout.ms}: an answer that takes longer is given up
 */
public record FetcherSettings(
    int maxWaitMs,
    int minBytes,
    int maxBytes,
    int partitionMaxBytes,
    long backoffMs,
    long timeoutMs) {
  private static final FetcherSettings DEFAULTS =
      new FetcherSettings(500, 1, 10 << 20, 1 << 20, 1000, 30_000);

  /** Kafka's defaults. */
  public static FetcherSettings defaults() {
    return DEFAULTS;
  }
}
