package dev.tidemark.broker;

import dev.tidemark.broker.folder.FolderIdentity;
import dev.tidemark.broker.folder.FolderRefused;
import dev.tidemark.env.Directory;
import dev.tidemark.env.Directory.OpenMode;
import dev.tidemark.env.LogFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import org.apache.kafka.common.Uuid;

/**
 * Tries whether a data folder is still the one it was, answers, takes writes and has room: what
 * tells a failed folder from a single partition that failed. Blocks.
 */
final class FolderProbe {
  /** A folder with less is as good as full: the next append of a client may not fit. */
  static final long MIN_ROOM_BYTES = 2 << 20;

  private static final String FILE = ".tidemark-probe";
  private static final int BYTES = 4096;

  /** What systems say when there is room on the volume, but not for us. */
  private static final List<String> FULL =
      List.of("No space left", "no space left", "quota exceeded", "File too large");

  private FolderProbe() {}

  /** The folder is well but full. */
  static final class FolderFull extends IOException {
    private static final long serialVersionUID = 1L;

    FolderFull(String message) {
      super(message);
    }
  }

  /** Writes, syncs and deletes a small file; throws what the disk says, or {@link FolderFull}. */
  static void run(Directory folder, Uuid directoryId) throws IOException {
    requireIdentity(folder, directoryId);
    requireRoom(folder);
    try {
      try (LogFile file = folder.open(FILE, OpenMode.READ_WRITE)) {
        file.write(ByteBuffer.allocate(BYTES), 0);
        file.sync();
      }
      folder.delete(FILE);
    } catch (IOException e) {
      throw isFull(e) ? new FolderFull(String.valueOf(e.getMessage())) : e;
    }
  }

  private static boolean isFull(IOException failure) {
    String message = String.valueOf(failure.getMessage());
    return FULL.stream().anyMatch(message::contains);
  }

  /** A disk that was unmounted leaves a folder that takes writes, but is another one. */
  private static void requireIdentity(Directory folder, Uuid directoryId) throws IOException {
    try {
      boolean same =
          FolderIdentity.read(folder)
              .map(identity -> identity.directoryId().equals(directoryId))
              .orElse(false);
      if (!same) {
        throw new IOException(
            "%s is not the folder with directory.id %s any more: its disk was unmounted or replaced"
                .formatted(folder.path(), directoryId));
      }
    } catch (FolderRefused e) {
      throw new IOException(e.getMessage(), e);
    }
  }

  /** Throws {@link FolderFull} when the folder's volume is full. */
  static void requireRoom(Directory folder) throws IOException {
    long usableBytes = folder.usableBytes();
    if (usableBytes < MIN_ROOM_BYTES) {
      throw new FolderFull(
          "%s has %d bytes of free space; free at least %d on its volume"
              .formatted(folder.path(), usableBytes, MIN_ROOM_BYTES));
    }
  }
}
