package dev.tidemark.quorum;

/**
 * When the metadata log is to be summed up in a snapshot.
 *
 * @param maxBytes metadata.log.max.record.bytes.between.snapshots
 * @param maxIntervalMs metadata.log.max.snapshot.interval.ms; 0 = by bytes alone
 */
public record SnapshotSettings(long maxBytes, long maxIntervalMs) {
  /** Kafka's defaults. */
  public static final SnapshotSettings DEFAULTS = new SnapshotSettings(20 << 20, 3_600_000);
}
