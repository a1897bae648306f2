package dev.tidemark.log;

import dev.tidemark.env.Directory;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/**
 * All that compacting a log needs to know of it, as it was at one moment on its shard.
 *
 * @param sources the segments up to the end of the dirty section
 * @param aborted transactions with a marker anywhere in the log, by first offset
 * @param lastBatches what each producer appended last, by producer id
 */
record CleaningPlan(
    LogId id,
    Directory folder,
    LogSettings settings,
    DirtySection section,
    List<Source> sources,
    List<AbortedTxn> aborted,
    Map<Long, LastBatch> lastBatches,
    long nowMs) {

  /** The aborted transactions with a marker in the range, in the order of their markers. */
  List<AbortedTxn> abortedByMarker(long firstOffset, long lastOffset) {
    return aborted.stream()
        .filter(txn -> txn.lastOffset() >= firstOffset && txn.lastOffset() <= lastOffset)
        .sorted(Comparator.comparingLong(AbortedTxn::lastOffset))
        .toList();
  }

  /** A whole segment. */
  record Source(long baseOffset, int size, long endOffset) {
    String name() {
      return FileNames.of(baseOffset, FileNames.LOG);
    }
  }

  /** The last batch of a producer; {@code lastOffset} is -1 when only its epoch is known. */
  record LastBatch(long lastOffset, short epoch) {}
}
