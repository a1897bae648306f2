package dev.tidemark.log;

/**
 * What the broker knows about a log before it opens it.
 *
 * @param cleanStop true when the folder carries a clean-shutdown marker: nothing needs a scan
 * @param recoveryPoint every offset below it was synced before; 0 when not known
 * @param logStartOffset the lowest offset that may be read; 0 when not known
 * @param appendsSynced true when every append was synced before the next one: then no more than the
 *     last batch may be cut, damage before it is reported, and the last batch is written once more
 * @param afterFailure true when a sync may have failed, in this run or at the end of the one
 *     before: that may have left pages that count as synced though the disk has not got them, so
 *     all from the recovery point on is written once more
 */
public record LogOpening(
    boolean cleanStop,
    long recoveryPoint,
    long logStartOffset,
    boolean appendsSynced,
    boolean afterFailure) {
  /** For a log whose appends are synced now and then. */
  public LogOpening(boolean cleanStop, long recoveryPoint, long logStartOffset) {
    this(cleanStop, recoveryPoint, logStartOffset, false, false);
  }

  /** For a log that does not exist yet, or of which nothing is known. */
  public static LogOpening unknown() {
    return new LogOpening(false, 0, 0);
  }

  /** For a log that is synced with every append, which makes a recovery point needless. */
  public static LogOpening ofSyncedAppends() {
    return new LogOpening(false, 0, 0, true, false);
  }

  /** The same, of a log that was closed in order when it ended at {@code endOffset}. */
  public static LogOpening ofSyncedAppends(long endOffset) {
    return new LogOpening(true, endOffset, 0, true, false);
  }

  /** For a log that was open when its disk failed, or may have been. */
  public static LogOpening afterFailure(long recoveryPoint, long logStartOffset) {
    return new LogOpening(false, recoveryPoint, logStartOffset, false, true);
  }
}
