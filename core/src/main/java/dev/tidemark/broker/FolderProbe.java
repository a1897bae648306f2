package dev.tidemark.broker;

import dev.tidemark.env.Directory;
import dev.tidemark.env.Directory.OpenMode;
import dev.tidemark.env.LogFile;
import java.io.IOException;
import java.nio.ByteBuffer;

/** Tries whether a data folder answers, takes writes and has room. Blocks. */
final class FolderProbe {
  /** A folder with less is as good as full: the next append of a client may not fit. */
  static final long MIN_ROOM_BYTES = 2 << 20;

  private static final String FILE = ".tidemark-probe";
  private static final int BYTES = 4096;

  private FolderProbe() {}

  /** Writes, syncs and deletes a small file; throws what the disk says, or that it is full. */
  static void run(Directory folder) throws IOException {
    requireRoom(folder);
    try (LogFile file = folder.open(FILE, OpenMode.READ_WRITE)) {
      file.write(ByteBuffer.allocate(BYTES), 0);
      file.sync();
    }
    folder.delete(FILE);
  }

  /** Throws when the folder's volume is full, or does not answer. */
  static void requireRoom(Directory folder) throws IOException {
    long usableBytes = folder.usableBytes();
    if (usableBytes < MIN_ROOM_BYTES) {
      throw new IOException(
          "%s has %d bytes of free space; free at least %d on its volume"
              .formatted(folder.path(), usableBytes, MIN_ROOM_BYTES));
    }
  }
}
