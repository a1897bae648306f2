package dev.tidemark.log;

import dev.tidemark.env.Directory;
import dev.tidemark.env.Directory.OpenMode;
import dev.tidemark.env.LogFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * Writes the unsynced end of a log again, in place, after a sync failed. The kernel tells of a page
 * it could not write once, then takes it for clean: the next sync succeeds without it (the "fsync
 * gate" of 2018), also that of the next process, which sees the page still. Only a new write makes
 * it dirty again. Indexes are not concerned, recovery builds them anew.
 */
final class UnsyncedRewrite {
  private static final int CHUNK_BYTES = 1 << 20;

  private UnsyncedRewrite() {}

  /**
   * Rewrites and syncs every segment that holds something at or above the recovery point.
   *
   * @param from the position in the first of them before which all is synced
   */
  static void run(Directory folder, long recoveryPoint, long from) throws IOException {
    List<String> unsynced = new ArrayList<>();
    for (String name : folder.list()) {
      long base = FileNames.offsetIn(name, FileNames.LOG);
      if (base >= 0 && base <= recoveryPoint) {
        unsynced.clear();
      }
      if (base >= 0) {
        unsynced.add(name);
      }
    }
    ByteBuffer chunk = ByteBuffer.allocate(CHUNK_BYTES);
    long position = from;
    for (String name : unsynced) {
      try (LogFile file = folder.open(name, OpenMode.READ_WRITE)) {
        rewrite(file, position, chunk);
        file.sync();
      }
      position = 0;
    }
  }

  /** Rewrites what a log that is open has not synced; the next flush syncs it. */
  static void run(LogState state) throws IOException {
    long synced = state.flushes.syncedEndOffset();
    ByteBuffer chunk = ByteBuffer.allocate(CHUNK_BYTES);
    for (int i = 0; i < state.segments.count(); i++) {
      Segment segment = state.segments.get(i);
      if (segment.exists() && state.segments.endOffset(i, state.logEndOffset) > synced) {
        int from = segment.baseOffset() >= synced ? 0 : segment.positionOf(synced);
        rewrite(segment.file(), from, chunk);
        segment.markDirty();
      }
    }
  }

  private static void rewrite(LogFile file, long from, ByteBuffer chunk) throws IOException {
    long position = from;
    int read = file.read(chunk.clear(), position);
    while (read > 0) {
      file.write(chunk.flip(), position);
      position += read;
      read = file.read(chunk.clear(), position);
    }
  }
}
