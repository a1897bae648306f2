package dev.tidemark.replica;

import dev.tidemark.log.LogId;
import dev.tidemark.log.RemovedTail;

/**
 * A lost tail: what a truncation removed, and when.
 *
 * @param leaderEpoch the epoch whose leader made this replica truncate
 * @param atMs when, wall clock
 * @param removed what
 * @param file the name of the file in the partition's folder that keeps the first of it; its {@link
 *     RemovedTail#keptBytes} are 0 when there is none
 */
public record LostTail(int leaderEpoch, long atMs, RemovedTail removed, String file) {
  /** Tells it from the others of its partition. */
  public String name() {
    return removed.firstOffset() + "-" + leaderEpoch;
  }

  /** As it is listed by the broker whose log this was cut from. */
  public LostTailEntry entry(LogId id, int brokerId) {
    return new LostTailEntry(
        id.topic(),
        id.partition(),
        name(),
        LostTailEntry.State.EXACT,
        brokerId,
        removed.firstEpoch(),
        removed.lastEpoch(),
        leaderEpoch,
        removed.firstOffset(),
        removed.lastOffset() + 1,
        removed.records(),
        removed.recordsBelowHighWatermark(),
        removed.bytes(),
        removed.keptBytes(),
        -1,
        atMs);
  }

  boolean hasSameRecords(LostTail other) {
    return removed.firstOffset() == other.removed.firstOffset()
        && removed.lastOffset() == other.removed.lastOffset()
        && removed.firstEpoch() == other.removed.firstEpoch()
        && removed.lastEpoch() == other.removed.lastEpoch();
  }

  LostTail withoutFile() {
    RemovedTail none =
        new RemovedTail(
            removed.firstOffset(),
            removed.lastOffset(),
            removed.firstEpoch(),
            removed.lastEpoch(),
            removed.records(),
            removed.recordsBelowHighWatermark(),
            removed.bytes(),
            0);
    return new LostTail(leaderEpoch, atMs, none, file);
  }
}
