package dev.tidemark.log;

import dev.tidemark.env.Directory;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** The snapshot files of producer state in a log's folder, by the offset each was taken at. */
final class ProducerSnapshots {
  private final Directory folder;
  private final UnsyncedFiles unsynced;
  private final TreeSet<Long> offsets = new TreeSet<>();

  ProducerSnapshots(Directory folder, UnsyncedFiles unsynced) {
    this.folder = folder;
    this.unsynced = unsynced;
  }

  /** Notes a file that was found in the folder. */
  void found(long offset) {
    offsets.add(offset);
  }

  boolean has(long offset) {
    return offsets.contains(offset);
  }

  /** Writes the state as it is at {@code offset}; durable with the next flush. */
  void take(long offset, ProducerState state) throws IOException {
    unsynced.replace(name(offset), ProducerSnapshot.toFile(state));
    offsets.add(offset);
  }

  /** The offset of the newest snapshot at or below {@code offset}, or -1. */
  long newestAtOrBelow(long offset) {
    Long found = offsets.floor(offset);
    return found == null ? -1 : found;
  }

  /** Reads a snapshot; null when it is damaged. */
  @Nullable List<ProducerWindow> load(long offset) throws IOException {
    return ProducerSnapshot.parse(folder.readAll(name(offset)));
  }

  void delete(long offset) throws IOException {
    folder.delete(name(offset));
    offsets.remove(offset);
    unsynced.noteNamesChanged();
  }

  void deleteAbove(long offset) throws IOException {
    for (long stale : new ArrayList<>(offsets.tailSet(offset, false))) {
      delete(stale);
    }
  }

  void deleteAll() throws IOException {
    deleteAbove(-1);
  }

  /** Deletes all but those at segment bounds and the newest one. */
  void deleteStray(Segments segments) throws IOException {
    for (long offset : new ArrayList<>(offsets)) {
      int floor = segments.floor(offset);
      boolean atBound = floor >= 0 && segments.get(floor).baseOffset() == offset;
      if (!atBound && offset != offsets.last()) {
        delete(offset);
      }
    }
  }

  static String name(long offset) {
    return FileNames.of(offset, FileNames.SNAPSHOT);
  }
}
