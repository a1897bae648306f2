package dev.tidemark.replica;

import dev.tidemark.log.EpochEnd;
import dev.tidemark.log.OffsetOutOfRange;
import dev.tidemark.log.PartitionLog;
import org.jspecify.annotations.Nullable;

/**
 * Where two logs part, by leader epochs only (KIP-101, KIP-279, KIP-595). Two logs that have an
 * epoch in common are the same up to the smaller of its two ends.
 */
final class Divergence {
  private Divergence() {}

  /**
   * On the leader: where the fetcher's last epoch ends here, if that is before its fetch offset.
   * Null when the logs do not part below the fetch offset, and when the fetcher has no epoch yet.
   *
   * @throws OffsetOutOfRange when the offset is outside this log and no epoch tells where they part
   */
  static @Nullable EpochEnd of(PartitionLog log, long fetchOffset, int lastFetchedEpoch)
      throws OffsetOutOfRange {
    if (fetchOffset < log.logStartOffset()) {
      throw outOfRange(log, fetchOffset); // also of a log that diverges (KAFKA-12996)
    }
    if (lastFetchedEpoch >= 0) {
      EpochEnd end = log.endOffsetForEpoch(lastFetchedEpoch);
      if (end.isUndefined()) {
        throw outOfRange(log, fetchOffset);
      }
      if (end.epoch() < lastFetchedEpoch || end.endOffsetExclusive() < fetchOffset) {
        return end;
      }
    }
    if (fetchOffset > log.logEndOffset()) {
      throw outOfRange(log, fetchOffset);
    }
    return null;
  }

  private static OffsetOutOfRange outOfRange(PartitionLog log, long offset) {
    return new OffsetOutOfRange(log.id(), offset, log.logStartOffset(), log.logEndOffset());
  }

  /**
   * On the follower: where to cut, given what the leader answered. The leader has only later epochs
   * from {@code leaders.endOffsetExclusive()} on; this log has only other ones from the end of the
   * largest epoch it has that is not above the leader's. Whatever is above either differs.
   */
  static long truncationOffset(PartitionLog log, EpochEnd leaders) {
    long cut = Math.min(leaders.endOffsetExclusive(), log.logEndOffset());
    EpochEnd own = log.endOffsetForEpoch(leaders.epoch());
    return own.isUndefined() ? cut : Math.min(cut, own.endOffsetExclusive());
  }
}
