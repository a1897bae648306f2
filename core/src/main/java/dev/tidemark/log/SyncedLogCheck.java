package dev.tidemark.log;

import dev.tidemark.env.Directory;
import dev.tidemark.env.Directory.OpenMode;
import dev.tidemark.env.LogFile;
import dev.tidemark.protocol.BatchHeader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Looks for damage in a log whose every append was synced before the next one began. There an
 * interrupted write can only have torn the last batch: whatever has a whole batch or a segment
 * behind it was committed once, and a recovery that cuts it away would lose all that follows. Only
 * reads.
 */
final class SyncedLogCheck {
  private final Directory folder;
  private final String path;
  private final LogFile file;
  private final long size;
  private long nextOffset;
  private LastBatch last;

  /** Where the last whole batch begins, at which position of its segment, and where it ends. */
  record LastBatch(long baseOffset, long position, long endOffset) {}

  private SyncedLogCheck(Directory folder, LogFile file, long nextOffset, LastBatch last)
      throws IOException {
    this.folder = folder;
    this.path = file.path();
    this.file = file;
    this.size = file.size();
    this.nextOffset = nextOffset;
    this.last = last;
  }

  /**
   * Returns if recovery may cut what it finds faulty: the last whole batch, before which all is
   * durable.
   *
   * @throws CorruptLog if that would cut more than the last batch
   */
  static LastBatch run(Directory folder) throws IOException {
    List<Long> bases = new ArrayList<>();
    for (String name : folder.list()) {
      long base = FileNames.offsetIn(name, FileNames.LOG);
      if (base >= 0) {
        bases.add(base);
      }
    }
    long next = bases.isEmpty() ? 0 : bases.get(0);
    LastBatch last = new LastBatch(next, 0, next);
    for (int i = 0; i < bases.size(); i++) {
      String name = FileNames.of(bases.get(i), FileNames.LOG);
      String follower = i + 1 < bases.size() ? FileNames.of(bases.get(i + 1), FileNames.LOG) : null;
      try (LogFile file = folder.open(name, OpenMode.READ)) {
        SyncedLogCheck check = new SyncedLogCheck(folder, file, next, last);
        check.checkBegin(bases.get(i));
        check.checkBatches(follower);
        next = check.nextOffset;
        last = check.last;
      }
    }
    return last;
  }

  private void checkBegin(long baseOffset) throws CorruptLog {
    if (baseOffset != nextOffset) {
      throw damaged(
          0, "begins at offset " + baseOffset + " where " + nextOffset + " is due", "its name");
    }
  }

  private void checkBatches(@Nullable String follower) throws IOException {
    BatchScanner scanner = new BatchScanner(file, 0, size, BatchScanner.FAR_BYTES);
    while (scanner.next()) {
      String fault = faultOf(scanner);
      if (fault != null) {
        requireTorn(scanner.position(), fault, follower);
        return;
      }
      nextOffset = scanner.header().lastOffset() + 1;
      last = new LastBatch(scanner.header().baseOffset(), scanner.position(), nextOffset);
    }
    String fault = scanner.fault();
    if (fault != null) {
      requireTorn(scanner.position(), fault, follower);
    }
  }

  private @Nullable String faultOf(BatchScanner scanner) throws IOException {
    BatchHeader batch = scanner.header();
    if (batch.baseOffset() != nextOffset || batch.lastOffsetDelta() < 0) {
      return "holds the offsets "
          + batch.baseOffset()
          + " to "
          + batch.lastOffset()
          + " where "
          + nextOffset
          + " is due";
    }
    return scanner.crcMatches() ? null : "holds a batch whose CRC does not match";
  }

  private void requireTorn(long position, String fault, @Nullable String follower)
      throws IOException {
    if (follower != null) {
      throw damaged(position, fault, "the segment " + follower + " follows");
    }
    long whole = wholeBatchFrom(position);
    if (whole >= 0) {
      throw damaged(position, fault, "a whole batch follows at position " + whole);
    }
  }

  /** Where a valid batch begins at or behind a fault, though not where it should; -1 without. */
  private long wholeBatchFrom(long from) throws IOException {
    ByteBuffer window =
        ByteBuffer.allocate((int) Math.min(BatchScanner.FAR_BYTES, Math.max(size - from, 0)));
    BatchHeader header = new BatchHeader();
    long start = from;
    while (size - start >= BatchHeader.SIZE) {
      int bytes = file.read(window.clear(), start);
      int candidates = bytes - BatchHeader.SIZE + 1;
      if (candidates <= 0) {
        throw new IOException(path + " cannot be read at position " + start);
      }
      for (int at = 0; at < candidates; at++) {
        if (window.get(at + BatchHeader.MAGIC_AT) == BatchHeader.MAGIC_V2
            && couldFollow(header.wrap(window, at), start + at)
            && isWhole(start + at)) {
          return start + at;
        }
      }
      start += candidates;
    }
    return -1;
  }

  /** Spares most places the CRC; a record takes more than a byte, which bounds the offsets. */
  private boolean couldFollow(BatchHeader header, long position) {
    long ahead = header.baseOffset() - nextOffset;
    return ahead >= 0
        && ahead <= size
        && header.lastOffsetDelta() >= 0
        && header.sizeInBytes() >= BatchHeader.SIZE
        && header.sizeInBytes() <= size - position;
  }

  private boolean isWhole(long position) throws IOException {
    BatchScanner scanner = new BatchScanner(file, position, size, BatchScanner.NEAR_BYTES);
    return scanner.next() && scanner.crcMatches();
  }

  private CorruptLog damaged(long position, String fault, String proof) {
    return new CorruptLog(
        path
            + " is damaged at position "
            + position
            + ": it "
            + fault
            + ", but "
            + proof
            + ". Each append to this log was synced before the next one began, so this is not an"
            + " interrupted write. Nothing was changed. Restore "
            + folder.path()
            + " from a copy; only if you want to give up all that was written from offset "
            + nextOffset
            + " on, cut the file to "
            + position
            + " bytes and move the segments behind it away.");
  }
}
