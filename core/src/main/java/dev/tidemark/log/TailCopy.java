package dev.tidemark.log;

import dev.tidemark.env.Directory.OpenMode;
import dev.tidemark.env.FileSlice;
import dev.tidemark.env.LogFile;
import dev.tidemark.protocol.BatchHeader;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Looks through what a truncation is about to remove, and copies the first of it into a file beside
 * the log: raw batches, as in a segment. Blocks for as long as it takes to read that.
 */
public final class TailCopy {
  /** The name of the list of such files. */
  public static final String LIST = FileNames.LOST_TAILS;

  private static final int CHUNK_BYTES = 1 << 20;

  private final PartitionLog log;
  private final long highWatermark;
  private final long maxBytes;
  private final BatchHeader header = new BatchHeader();
  private long firstOffset = -1;
  private long lastOffset;
  private int firstEpoch;
  private int lastEpoch;
  private long records;
  private long recordsBelow;
  private long bytes;
  private long keptBytes;
  private boolean full;

  private TailCopy(PartitionLog log, long highWatermark, long maxBytes) {
    this.log = log;
    this.highWatermark = highWatermark;
    this.maxBytes = maxBytes;
  }

  /** The file for what is removed from {@code firstOffset} on in a leader epoch. */
  public static String fileName(long firstOffset, int leaderEpoch) {
    return FileNames.of(firstOffset, "-" + leaderEpoch + FileNames.LOST_TAIL);
  }

  /**
   * What {@link PartitionLog#truncateTo} would remove.
   *
   * @param offset where the log is about to be cut
   * @param highWatermark what is below it is counted apart
   * @param maxBytes so much is copied, in whole batches
   * @param name of the file, which is replaced; synced when this returns
   * @return null when there is no batch to remove; there is no file then
   */
  public static @Nullable RemovedTail copy(
      PartitionLog log, long offset, long highWatermark, long maxBytes, String name)
      throws IOException {
    TailCopy copy = new TailCopy(log, highWatermark, maxBytes);
    if (maxBytes <= 0) {
      copy.run(offset, null);
      return copy.result();
    }
    try (LogFile file = log.folder().open(name, OpenMode.READ_WRITE)) {
      file.truncate(0);
      copy.run(offset, file);
      if (copy.keptBytes > 0) {
        file.sync();
      }
    }
    if (copy.keptBytes == 0) {
      log.folder().delete(name);
    }
    log.folder().sync();
    return copy.result();
  }

  private void run(long offset, @Nullable LogFile to) throws IOException {
    long next = Math.max(offset, log.logStartOffset());
    try {
      while (next < log.logEndOffset()) {
        LogRead read = log.read(next, CHUNK_BYTES, true, log.logEndOffset());
        FileSlice slice = read.slice();
        if (slice == null) {
          return; // a gap up to the end
        }
        ByteBuffer batches = ByteBuffer.allocate(read.length());
        try {
          slice.read(batches, 0);
        } finally {
          slice.release();
        }
        take(batches.flip(), to);
        next = read.nextOffset();
      }
    } catch (OffsetOutOfRange e) {
      throw new IOException(e.getMessage(), e);
    }
  }

  private void take(ByteBuffer batches, @Nullable LogFile to) throws IOException {
    int keep = 0;
    int at = 0;
    while (at < batches.limit()) {
      header.wrap(batches, at);
      int size = (int) header.sizeInBytes();
      note(size);
      at += size;
      full |= keptBytes + at > maxBytes;
      keep = full ? keep : at;
    }
    if (to != null && keep > 0) {
      to.write(batches.limit(keep).position(0), keptBytes);
    }
    keptBytes += to == null ? 0 : keep;
  }

  private void note(int size) {
    if (firstOffset < 0) {
      firstOffset = header.baseOffset();
      firstEpoch = header.leaderEpoch();
    }
    lastOffset = header.lastOffset();
    lastEpoch = header.leaderEpoch();
    records += header.recordCount();
    recordsBelow +=
        Math.min(header.recordCount(), Math.max(0, highWatermark - header.baseOffset()));
    bytes += size;
  }

  private @Nullable RemovedTail result() {
    return firstOffset < 0
        ? null
        : new RemovedTail(
            firstOffset,
            lastOffset,
            firstEpoch,
            lastEpoch,
            records,
            recordsBelow,
            bytes,
            keptBytes);
  }
}
