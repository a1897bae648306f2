package dev.tidemark.log;

import dev.tidemark.env.Directory;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The snapshot files of producer state in a log's folder, by the offset each was taken at. */
final class ProducerSnapshots {
  private static final long[] NONE = {};

  private final Directory folder;
  private final UnsyncedFiles unsynced;

  /** Ascending. */
  private long[] offsets = NONE;

  ProducerSnapshots(Directory folder, UnsyncedFiles unsynced) {
    this.folder = folder;
    this.unsynced = unsynced;
  }

  /** Notes a file that was found in the folder. */
  void found(long offset) {
    int at = Arrays.binarySearch(offsets, offset);
    if (at < 0) {
      int to = -at - 1;
      long[] more = Arrays.copyOf(offsets, offsets.length + 1);
      System.arraycopy(offsets, to, more, to + 1, offsets.length - to);
      more[to] = offset;
      offsets = more;
    }
  }

  private void forget(long offset) {
    int at = Arrays.binarySearch(offsets, offset);
    if (at >= 0) {
      long[] fewer = offsets.length == 1 ? NONE : Arrays.copyOf(offsets, offsets.length - 1);
      System.arraycopy(offsets, at + 1, fewer, at, fewer.length - at);
      offsets = fewer;
    }
  }

  boolean has(long offset) {
    return Arrays.binarySearch(offsets, offset) >= 0;
  }

  /** The offsets of all, ascending; not to be changed. */
  long[] offsets() {
    return offsets;
  }

  /** Writes the state as it is at {@code offset}; durable with the next flush. */
  void take(long offset, ProducerState state) throws IOException {
    unsynced.replace(name(offset), ProducerSnapshot.toFile(state));
    found(offset);
  }

  /** The offset of the newest snapshot at or below {@code offset}, or -1. */
  long newestAtOrBelow(long offset) {
    int at = Arrays.binarySearch(offsets, offset);
    int floor = at >= 0 ? at : -at - 2;
    return floor < 0 ? -1 : offsets[floor];
  }

  /** Reads a snapshot; null when it is damaged. */
  @Nullable List<ProducerWindow> load(long offset) throws IOException {
    return ProducerSnapshot.parse(folder.readAll(name(offset)));
  }

  void delete(long offset) throws IOException {
    folder.delete(name(offset));
    forget(offset);
    unsynced.noteNamesChanged();
  }

  void deleteAbove(long offset) throws IOException {
    for (long stale : offsets) { // delete() replaces the array
      if (stale > offset) {
        delete(stale);
      }
    }
  }

  void deleteAll() throws IOException {
    deleteAbove(-1);
  }

  /** Deletes all but those at segment bounds and the newest one. */
  void deleteStray(Segments segments) throws IOException {
    long[] all = offsets;
    for (long offset : all) {
      int floor = segments.floor(offset);
      boolean atBound = floor >= 0 && segments.get(floor).baseOffset() == offset;
      if (!atBound && offset != all[all.length - 1]) {
        delete(offset);
      }
    }
  }

  static String name(long offset) {
    return FileNames.of(offset, FileNames.SNAPSHOT);
  }
}
