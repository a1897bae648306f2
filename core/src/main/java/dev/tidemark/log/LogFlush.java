package dev.tidemark.log;

import dev.tidemark.env.Directory;
import dev.tidemark.env.LogFile;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The files to sync so that the log is durable up to an end offset.
 *
 * @param generation of the log's tail: a truncation in between makes the result void
 * @param folder to be synced too, or null when no name in it changed
 */
record LogFlush(long endOffset, int generation, List<LogFile> files, @Nullable Directory folder) {
  boolean isEmpty() {
    return files.isEmpty() && folder == null;
  }

  void syncFiles() throws IOException {
    for (LogFile file : files) {
      file.sync();
    }
    if (folder != null) {
      folder.sync();
    }
  }
}
