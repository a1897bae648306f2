package dev.tidemark.quorum;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/** Appends whose records are not known to be committed, in the order of their offsets. */
final class PendingAppends {
  private final ArrayDeque<Pending> pending = new ArrayDeque<>();

  private record Pending(long lastOffset, int epoch, MetadataLog.Completion completion) {}

  void add(long lastOffset, int epoch, MetadataLog.Completion completion) {
    pending.add(new Pending(lastOffset, epoch, completion));
  }

  /** A batch is committed and was told: those in it have their end. */
  void onCommitted(long lastOffset, int epoch) {
    Pending first = pending.peek();
    while (first != null && first.epoch() == epoch && first.lastOffset() <= lastOffset) {
      pending.remove();
      first.completion().onCommitted(first.lastOffset());
      first = pending.peek();
    }
  }

  void failAll(Throwable cause) {
    List<Pending> failed = new ArrayList<>(pending);
    pending.clear();
    for (Pending one : failed) {
      one.completion().onFailed(cause);
    }
  }
}
