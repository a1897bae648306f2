package dev.tidemark.log;

/**
 * What compaction would find in a log: whole segments below the last stable offset that are neither
 * active nor too young. Those from the first dirty offset on were not compacted yet.
 *
 * @param firstDirtyOffset where the dirty section begins
 * @param endOffsetExclusive where it ends
 * @param cleanBytes of the segments below it
 * @param dirtyBytes of its segments
 * @param overdue true when something in it is older than max.compaction.lag.ms
 * @param mustBeSyncedTo where the log ended when this was found: a marker up to there may decide a
 *     transaction, which a power loss must not open again after older records went for it
 */
public record DirtySection(
    long firstDirtyOffset,
    long endOffsetExclusive,
    long cleanBytes,
    long dirtyBytes,
    boolean overdue,
    long mustBeSyncedTo) {

  /** The dirty bytes among all that would be read, 0 to 1 (min.cleanable.dirty.ratio). */
  public double cleanableRatio() {
    long all = cleanBytes + dirtyBytes;
    return all == 0 ? 0 : (double) dirtyBytes / all;
  }
}
