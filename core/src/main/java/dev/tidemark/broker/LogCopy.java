package dev.tidemark.broker;

import dev.tidemark.env.Clock;
import dev.tidemark.env.Directory;
import dev.tidemark.env.FileSlice;
import dev.tidemark.log.LogId;
import dev.tidemark.log.LogOpening;
import dev.tidemark.log.LogRead;
import dev.tidemark.log.LogSettings;
import dev.tidemark.log.OffsetOutOfRange;
import dev.tidemark.log.PartitionLog;
import dev.tidemark.log.RefusedAppend;
import java.io.IOException;
import java.nio.ByteBuffer;

/** The copy of a log that grows in another data folder. All of it blocks. */
final class LogCopy {
  private static final int STEP_BYTES = 1 << 20;

  private final Directory folder;
  private final String name;
  private final PartitionLog log;
  private volatile boolean named;

  private LogCopy(Directory folder, String name, PartitionLog log) {
    this.folder = folder;
    this.name = name;
    this.log = log;
  }

  /** Begins an empty copy in {@code folder}; what an attempt before has left goes. */
  static LogCopy begin(
      LogId id, Directory folder, LogSettings settings, long logStartOffset, Clock clock)
      throws IOException {
    String name = DataFolder.futureName(id);
    folder.delete(name);
    PartitionLog log =
        PartitionLog.open(
            id, folder.directory(name), settings, new LogOpening(false, 0, logStartOffset), clock);
    return new LogCopy(folder, name, log);
  }

  long endOffset() {
    return log.logEndOffset();
  }

  long sizeInBytes() {
    return log.sizeInBytes();
  }

  /**
   * Lets go of what the source has lost of its beginning since. Of a source that has lost all of it
   * nothing can be read, and yet the copy is to end where it ends.
   */
  void startAtLeastAt(long sourceStartOffset) throws IOException {
    if (log.logEndOffset() < sourceStartOffset) {
      log.truncateFullyAndStartAt(sourceStartOffset);
    }
  }

  /** Appends what was read of the source. */
  void append(FileSlice slice) throws IOException {
    ByteBuffer records = ByteBuffer.allocate(slice.length());
    while (records.hasRemaining() && slice.read(records, records.position()) > 0) {
      // reads on until all is there
    }
    try {
      log.appendReplicated(records.flip());
    } catch (RefusedAppend e) {
      throw new IOException("The copy of " + log.id() + " was refused: " + e.getMessage(), e);
    }
  }

  void flush() throws IOException {
    log.flushAndWait();
  }

  /** Copies the rest of a source that nobody writes to any more, and syncs all. */
  void complete(PartitionLog source) throws IOException {
    startAtLeastAt(source.logStartOffset());
    while (log.logEndOffset() < source.logEndOffset()) {
      long from = log.logEndOffset();
      try {
        LogRead read = source.read(from, STEP_BYTES, true, source.logEndOffset());
        FileSlice slice = read.slice();
        if (slice == null) {
          throw new IOException(source.id() + " cannot be read at offset " + from);
        }
        try {
          append(slice);
        } finally {
          slice.release();
        }
      } catch (OffsetOutOfRange e) {
        throw new IOException(e.getMessage(), e);
      }
    }
    log.close(true);
  }

  /** Gives the completed copy the partition's name. */
  void takeName() throws IOException {
    folder.rename(name, log.id().folderName());
    named = true;
    folder.sync();
  }

  /** True once it has the partition's name: it is whole, and from now on the one that counts. */
  boolean isNamed() {
    return named;
  }

  void close() throws IOException {
    log.close(false);
  }

  void abandon() throws IOException {
    close();
    folder.delete(name);
  }
}
