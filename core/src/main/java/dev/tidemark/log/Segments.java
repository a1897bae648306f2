package dev.tidemark.log;

import java.util.ArrayList;
import java.util.List;

/** The segments of a log by base offset; the last one is the active one. Never empty when open. */
final class Segments {
  private final List<Segment> list = new ArrayList<>(1);

  void add(Segment segment) {
    if (!list.isEmpty() && segment.baseOffset() <= active().baseOffset()) {
      throw new IllegalStateException(
          segment.path() + " does not follow the segment at " + active().baseOffset());
    }
    list.add(segment);
  }

  int count() {
    return list.size();
  }

  Segment get(int index) {
    return list.get(index);
  }

  Segment first() {
    return list.get(0);
  }

  Segment active() {
    return list.get(list.size() - 1);
  }

  void removeFirst() {
    list.remove(0);
  }

  void removeLast() {
    list.remove(list.size() - 1);
  }

  /** Puts one segment in the place of {@code count} from {@code first} on. */
  void replace(int first, int count, Segment segment) {
    list.subList(first, first + count).clear();
    list.add(first, segment);
  }

  /** The index of the last segment that begins at or before {@code offset}; -1 without one. */
  int floor(long offset) {
    int low = 0;
    int high = list.size() - 1;
    while (low <= high) {
      int middle = (low + high) >>> 1;
      if (list.get(middle).baseOffset() <= offset) {
        low = middle + 1;
      } else {
        high = middle - 1;
      }
    }
    return high;
  }

  /** Where the segment ends: the next one's base, or the log end offset. */
  long endOffset(int index, long logEndOffset) {
    return index + 1 < list.size() ? list.get(index + 1).baseOffset() : logEndOffset;
  }

  long sizeInBytes() {
    long bytes = 0;
    for (Segment segment : list) {
      bytes += segment.size();
    }
    return bytes;
  }
}
