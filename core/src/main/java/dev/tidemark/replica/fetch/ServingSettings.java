package dev.tidemark.replica.fetch;

/**
 * How a leader serves followers.
 *
 * @param highWatermarkLingerMs {@code tidemark.replica.hw.linger.ms}: so long a new high watermark
 *     waits for data to ride on. Answering at once for it would double the fetches (KAFKA-9731)
 * @param maxBytes {@code fetch.max.bytes}: no answer is larger, but for a first batch
 */
public record ServingSettings(long highWatermarkLingerMs, int maxBytes) {
  private static final ServingSettings DEFAULTS = new ServingSettings(20, 55 << 20);

  public static ServingSettings defaults() {
    return DEFAULTS;
  }
}
