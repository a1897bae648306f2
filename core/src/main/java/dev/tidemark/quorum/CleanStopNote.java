package dev.tidemark.quorum;

import dev.tidemark.env.Directory;
import dev.tidemark.log.LogOpening;
import dev.tidemark.log.PartitionLog;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/**
 * A file that says where a metadata log ended when it was closed in order. A log that ends below it
 * at the next start was cut by somebody or lost files, which is not to be taken for a write that
 * was interrupted. It is gone while the log is open.
 */
final class CleanStopNote {
  static final String FILE = "tidemark-clean-end";

  private CleanStopNote() {}

  /** How a log is to be opened whose every append was synced; strictly after a clean stop. */
  static LogOpening opening(Directory folder) throws IOException {
    if (folder.exists(FILE)) {
      String text = new String(folder.readAll(FILE), StandardCharsets.UTF_8).trim();
      try {
        return LogOpening.ofSyncedAppends(Long.parseLong(text));
      } catch (NumberFormatException e) {
        return LogOpening.ofSyncedAppends(); // checked as after any other stop
      }
    }
    return LogOpening.ofSyncedAppends();
  }

  /** Before anything is written to the log; durable when this returns. */
  static void delete(Directory folder) throws IOException {
    if (folder.exists(FILE)) {
      folder.delete(FILE);
      folder.sync();
    }
  }

  /**
   * Closes a log, and notes where it ended.
   *
   * @param clean true when all that it holds counts
   */
  static void close(PartitionLog log, boolean clean) throws IOException {
    long endOffset = log.logEndOffset();
    log.close(clean);
    if (clean) {
      log.folder().writeAtomically(FILE, (endOffset + "\n").getBytes(StandardCharsets.UTF_8));
    }
  }
}
