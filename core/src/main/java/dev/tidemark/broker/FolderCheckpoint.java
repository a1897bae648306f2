package dev.tidemark.broker;

import dev.tidemark.env.Directory;
import dev.tidemark.log.CorruptLog;
import dev.tidemark.log.LogId;
import java.io.IOException;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The files of one data folder that tell how far its logs can be trusted. They are gathered on the
 * data shard and written in the background; before a log gets shorter the data shard lowers them at
 * once. What was gathered before that may be written after it, so each lowering is remembered until
 * something gathered later has been written.
 *
 * <p>A change of leaders may shorten many logs at once: what was read for the first of them is kept
 * for the others, until the next checkpoint is written.
 *
 * <p>This is one of few places with a lock: gathering, writing and lowering come from two threads.
 * The data shard waits here for a write that is under way, which only a truncation makes it do.
 */
final class FolderCheckpoint {
  private static final Logger LOG = LoggerFactory.getLogger(FolderCheckpoint.class);

  private final Directory directory;
  private final Map<LogId, Lowered> lowered = new HashMap<>();
  private long moment;
  private @Nullable KnownOffsets lastRead;
  private @Nullable Map<LogId, Long> lastReadCleaned;

  private record Lowered(long moment, long endOffset) {}

  FolderCheckpoint(Directory directory) {
    this.directory = directory;
  }

  Directory directory() {
    return directory;
  }

  /** The moment of what is gathered now, to be named when it is written. */
  synchronized long gathering() {
    return moment;
  }

  /** Writes all that is known of the folder, as it was at that moment. Blocks. */
  synchronized void write(long gathered, KnownOffsets all) throws IOException {
    lastRead = null;
    KnownOffsets now = new KnownOffsets(all.bootId());
    all.all().forEach(entry -> now.put(capped(gathered, entry)));
    DataFolder.writeDown(directory, now);
    lowered.values().removeIf(one -> one.moment() <= gathered);
  }

  /** Writes what has changed, as it was at that moment. Blocks. */
  synchronized void write(
      long gathered, String bootId, List<LogId> gone, List<KnownOffsets.Entry> entries)
      throws IOException {
    lastRead = null;
    KnownOffsets known = KnownOffsets.read(directory);
    if (!known.bootId().equals(bootId)) {
      throw new IOException(
          "%s/%s was not written by this broker".formatted(directory.path(), KnownOffsets.FILE));
    }
    boolean changes = !entries.isEmpty();
    for (LogId id : gone) {
      changes |= known.of(id) != null;
      known.remove(id);
    }
    entries.forEach(entry -> known.put(capped(gathered, entry)));
    if (changes) {
      DataFolder.writeDown(directory, known);
    }
    lowered.values().removeIf(one -> one.moment() <= gathered);
  }

  /** Writes up to where logs were compacted, as it was at that moment. Blocks. */
  synchronized void writeCleaned(long gathered, Map<LogId, Long> offsets) throws IOException {
    Map<LogId, Long> now = new LinkedHashMap<>(offsets);
    now.replaceAll((id, offset) -> Math.min(offset, endSince(gathered, id)));
    lastReadCleaned = null;
    CleanerCheckpoint.write(directory, now);
  }

  private KnownOffsets.Entry capped(long gathered, KnownOffsets.Entry entry) {
    long end = endSince(gathered, entry.id());
    return end == Long.MAX_VALUE ? entry : lowered(entry, end);
  }

  private long endSince(long gathered, LogId id) {
    Lowered one = lowered.get(id);
    return one == null || one.moment() <= gathered ? Long.MAX_VALUE : one.endOffset();
  }

  private static KnownOffsets.Entry lowered(KnownOffsets.Entry entry, long endOffset) {
    return new KnownOffsets.Entry(
        entry.id(),
        Math.min(entry.recoveryPoint(), endOffset),
        Math.min(entry.logStartOffset(), endOffset),
        Math.min(entry.highWatermark(), endOffset));
  }

  /**
   * A log is about to end at {@code endOffset}. Returns once nothing on the disk claims more of it.
   */
  synchronized void lower(LogId id, long endOffset) throws IOException {
    moment++;
    Lowered before = lowered.get(id);
    long end = before == null ? endOffset : Math.min(before.endOffset(), endOffset);
    lowered.put(id, new Lowered(moment, end));
    KnownOffsets known = readOrNull();
    KnownOffsets.Entry entry = known == null ? null : known.of(id);
    if (known != null && entry != null && claimsMore(entry, endOffset)) {
      lastRead = null; // until it is written, it is not what the disk has
      known.put(lowered(entry, endOffset));
      known.write(directory);
      lastRead = known;
    }
    lowerCleaned(id, endOffset);
  }

  /** A summary tells of files as they are, and they change. */
  private static boolean claimsMore(KnownOffsets.Entry entry, long endOffset) {
    return entry.summary() != null
        || entry.recoveryPoint() > endOffset
        || entry.highWatermark() > endOffset;
  }

  private void lowerCleaned(LogId id, long endOffset) throws IOException {
    Map<LogId, Long> cleaned = readCleaned();
    if (cleaned.getOrDefault(id, 0L) > endOffset) {
      lastReadCleaned = null;
      cleaned.put(id, endOffset);
      CleanerCheckpoint.write(directory, cleaned);
      lastReadCleaned = cleaned;
    }
  }

  private Map<LogId, Long> readCleaned() throws IOException {
    Map<LogId, Long> known = lastReadCleaned;
    if (known == null) {
      try {
        known = CleanerCheckpoint.read(directory);
      } catch (CorruptLog e) {
        known = new HashMap<>(); // it tells nothing
      }
      lastReadCleaned = known;
    }
    return known;
  }

  private @Nullable KnownOffsets readOrNull() throws IOException {
    KnownOffsets known = lastRead;
    if (known != null) {
      return known;
    }
    try {
      known = KnownOffsets.read(directory);
      lastRead = known;
      return known;
    } catch (CorruptLog e) {
      LOG.warn("{}; the next checkpoint writes it anew", e.getMessage());
      return null;
    }
  }
}
