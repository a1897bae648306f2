package dev.tidemark.log;

/**
 * Up to where a log was compacted. That holds only for the records that were there: of a log that
 * was cut and grew again, all from the cut on is dirty.
 */
final class CleanEnd {
  private long offset = -1;

  /** Where the log ended at its shortest since it was opened or began to be compacted. */
  private long lowestLogEnd;

  /** -1 when it is not known. */
  long offset() {
    return offset;
  }

  /** The log was opened, or begins to be compacted, with this end. */
  void begin(long logEndOffset) {
    lowestLogEnd = logEndOffset;
  }

  void cutTo(long logEndOffset) {
    lowestLogEnd = Math.min(lowestLogEnd, logEndOffset);
    offset = Math.min(offset, logEndOffset);
  }

  void compactedTo(long endOffsetExclusive) {
    offset = Math.min(endOffsetExclusive, lowestLogEnd);
  }
}
