package dev.tidemark.log;

import dev.tidemark.env.Directory;
import dev.tidemark.env.Directory.OpenMode;
import dev.tidemark.env.LogFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * Small files that are replaced without waiting for the disk: written beside, renamed, and synced
 * with the next flush. A power loss may leave the old file, the new one or a torn one; whoever
 * reads such a file at opening can tell and do without it. They are remembered by name, so that a
 * log that waits for its flush holds no file open.
 */
final class UnsyncedFiles {
  private final Directory folder;
  private List<String> written = List.of();
  private boolean namesChanged;

  UnsyncedFiles(Directory folder) {
    this.folder = folder;
  }

  void replace(String name, byte[] content) throws IOException {
    String temporary = name + FileNames.TEMPORARY;
    write(temporary, content);
    folder.rename(temporary, name);
    noteWritten(name);
    namesChanged = true;
  }

  /**
   * Writes a file of a log that is new and holds no record. It becomes durable with the first
   * record; a new log that is lost with all its files is made again.
   */
  void create(String name, byte[] content) throws IOException {
    write(name, content);
    noteWritten(name);
  }

  private void write(String name, byte[] content) throws IOException {
    try (LogFile file = folder.open(name, OpenMode.READ_WRITE)) {
      file.truncate(0);
      file.write(ByteBuffer.wrap(content), 0);
    }
  }

  /** A file that was written before is to be synced. */
  void noteWritten(String name) {
    if (!written.contains(name)) {
      if (written.isEmpty()) {
        written = new ArrayList<>(1);
      }
      written.add(name);
    }
  }

  void noteNamesChanged() {
    namesChanged = true;
  }

  /** True once after names in the folder changed. */
  boolean takeNamesChanged() {
    boolean was = namesChanged;
    namesChanged = false;
    return was;
  }

  boolean hasChangedNames() {
    return namesChanged;
  }

  /** All was synced. */
  void clear() {
    written = List.of();
    namesChanged = false;
  }

  /** The names of the files to sync; some may be gone by then. */
  List<String> take() {
    List<String> names = written;
    written = List.of();
    return names;
  }
}
