package dev.tidemark.quorum;

import dev.tidemark.env.Directory;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.OptionalLong;

/**
 * A file that says from which offset on several batches were once written with one sync behind them
 * all. Otherwise each batch is synced before the next, and then damage before the last one is the
 * disk's fault and is reported; what lies behind the noted offset may be a write that a loss of
 * power tore, and is cut to whole batches.
 */
final class UnsyncedNote {
  static final String FILE = "tidemark-written-from";

  private final Directory folder;
  private boolean exists;

  UnsyncedNote(Directory folder) throws IOException {
    this.folder = folder;
    this.exists = folder.exists(FILE);
  }

  /** The offset of the note; empty without one. */
  OptionalLong read() throws IOException {
    if (!exists) {
      return OptionalLong.empty();
    }
    String text = new String(folder.readAll(FILE), StandardCharsets.UTF_8).trim();
    try {
      return OptionalLong.of(Long.parseLong(text));
    } catch (NumberFormatException e) {
      throw new IOException(
          "%s/%s is damaged: it holds no offset; restore the folder from a copy"
              .formatted(folder.path(), FILE),
          e);
    }
  }

  /** Several batches follow from {@code offset} on; durable when this returns. */
  void write(long offset) throws IOException {
    folder.writeAtomically(FILE, (offset + "\n").getBytes(StandardCharsets.UTF_8));
    exists = true;
  }

  /** All is synced. If a loss of power brings the note back, it only makes a start less strict. */
  void delete() throws IOException {
    if (exists) {
      folder.delete(FILE);
      exists = false;
    }
  }
}
