package dev.tidemark.log;

import dev.tidemark.env.Directory;
import dev.tidemark.env.Directory.OpenMode;
import dev.tidemark.env.LogFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Small files that are replaced without waiting for the disk: written beside, renamed, and synced
 * with the next flush. A power loss may leave the old file, the new one or a torn one; whoever
 * reads such a file at opening can tell and do without it.
 */
final class UnsyncedFiles {
  private final Directory folder;
  private final Map<String, LogFile> written = new LinkedHashMap<>();
  private boolean namesChanged;

  UnsyncedFiles(Directory folder) {
    this.folder = folder;
  }

  void replace(String name, byte[] content) throws IOException {
    String temporary = name + FileNames.TEMPORARY;
    LogFile file = folder.open(temporary, OpenMode.READ_WRITE);
    try {
      file.truncate(0);
      file.write(ByteBuffer.wrap(content), 0);
      folder.rename(temporary, name);
    } catch (IOException e) {
      file.close();
      throw e;
    }
    LogFile before = written.put(name, file);
    if (before != null) {
      before.close();
    }
    namesChanged = true;
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

  boolean isEmpty() {
    return written.isEmpty() && !namesChanged;
  }

  /** The files to sync and then to close. */
  List<LogFile> take() {
    List<LogFile> files = new ArrayList<>(written.values());
    written.clear();
    return files;
  }

  void close() throws IOException {
    for (LogFile file : take()) {
      file.close();
    }
  }
}
