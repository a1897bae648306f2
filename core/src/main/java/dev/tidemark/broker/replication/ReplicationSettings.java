package dev.tidemark.broker.replication;

import dev.tidemark.replica.LagRule;
import dev.tidemark.replica.fetch.FetcherSettings;
import dev.tidemark.replica.fetch.QuotaWindow;
import dev.tidemark.replica.fetch.ServingSettings;

/**
 * How a broker replicates.
 *
 * @param listener the name of the listener on which brokers call each other
 * @param fetching how its followers fetch
 * @param serving how it serves the followers of others
 * @param throttling over which time its throttles measure
 * @param lag who counts as in sync
 * @param checkpointIntervalMs {@code replica.high.watermark.checkpoint.interval.ms}
 * @param lostTailMaxBytes {@code tidemark.lost.tail.max.bytes}: so much of what truncations remove
 *     is kept for each partition
 */
public record ReplicationSettings(
    String listener,
    FetcherSettings fetching,
    ServingSettings serving,
    QuotaWindow throttling,
    LagRule lag,
    long checkpointIntervalMs,
    long lostTailMaxBytes) {}
