package dev.tidemark.replica;

import dev.tidemark.env.Directory;
import dev.tidemark.log.CorruptLog;
import dev.tidemark.log.PartitionLog;
import dev.tidemark.log.RemovedTail;
import dev.tidemark.log.TailCopy;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The lost tails of a partition on this broker, oldest first: listed in one file of the partition's
 * folder, the removed batches in files beside it. Files are looked at when they are needed. Each
 * step is durable before the truncation it is about: first the batches, then the list.
 */
public final class LostTails {
  private static final Logger LOG = LoggerFactory.getLogger(LostTails.class);

  /** More are not listed: the oldest make room. */
  static final int MAX_LISTED = 100;

  private final PartitionLog log;
  private final long maxBytes;
  private @Nullable List<LostTail> tails;

  /**
   * Those in the folder of {@code log}.
   *
   * @param maxBytes all files with removed batches together are not larger: the oldest make room
   */
  LostTails(PartitionLog log, long maxBytes) {
    this.log = log;
    this.maxBytes = maxBytes;
  }

  /** All that are listed. Blocks at the first call. */
  public List<LostTail> all() throws IOException {
    return List.copyOf(loaded());
  }

  private List<LostTail> loaded() throws IOException {
    if (tails == null) {
      tails = load();
    }
    return tails;
  }

  private List<LostTail> load() throws IOException {
    try {
      return listedIn(log.folder());
    } catch (CorruptLog e) {
      LOG.error("[Partition {}] The list of lost tails begins anew: {}", log.id(), e.getMessage());
      return new ArrayList<>();
    }
  }

  /**
   * Those that are listed in a partition's folder, as they stand in the file. Blocks; may be called
   * from anywhere.
   *
   * @throws CorruptLog when the list is damaged
   */
  public static List<LostTail> listedIn(Directory folder) throws IOException {
    return folder.exists(TailCopy.LIST)
        ? LostTailList.parse(folder.readAll(TailCopy.LIST), folder.path() + "/" + TailCopy.LIST)
        : new ArrayList<>();
  }

  /** Before the log is cut at {@code offset}: keeps and lists what goes. Blocks until durable. */
  void keep(long offset, int leaderEpoch, long highWatermark, long nowMs) throws IOException {
    if (offset >= log.logEndOffset()) {
      return;
    }
    String file = TailCopy.fileName(Math.max(offset, log.logStartOffset()), leaderEpoch);
    RemovedTail removed = TailCopy.copy(log, offset, highWatermark, maxBytes, file);
    if (removed == null) {
      return;
    }
    LOG.warn(
        "[Partition {}] Lost tail: epoch {} to {}, offsets {} to {}, {} records ({} once below the"
            + " high watermark), {} bytes, {} of them kept in {}",
        log.id(),
        removed.firstEpoch(),
        removed.lastEpoch(),
        removed.firstOffset(),
        removed.lastOffset(),
        removed.records(),
        removed.recordsBelowHighWatermark(),
        removed.bytes(),
        removed.keptBytes(),
        file);
    add(new LostTail(leaderEpoch, nowMs, removed, file));
  }

  private void add(LostTail tail) throws IOException {
    List<LostTail> all = loaded();
    List<String> needless = new ArrayList<>();
    // After a crash before the truncation the same records are removed once more.
    for (LostTail same : all.stream().filter(tail::hasSameRecords).toList()) {
      all.remove(same);
      needless.add(same.file());
    }
    makeRoom(all, tail.removed().keptBytes(), needless);
    all.add(tail);
    needless.remove(tail.file());
    write(all, needless);
  }

  private void makeRoom(List<LostTail> all, long forBytes, List<String> needless) {
    while (all.size() >= MAX_LISTED) {
      needless.add(all.remove(0).file());
    }
    long kept = forBytes + all.stream().mapToLong(tail -> tail.removed().keptBytes()).sum();
    for (int i = 0; i < all.size() && kept > maxBytes; i++) {
      LostTail oldest = all.get(i);
      if (oldest.removed().keptBytes() > 0) {
        kept -= oldest.removed().keptBytes();
        needless.add(oldest.file());
        all.set(i, oldest.withoutFile());
      }
    }
  }

  private void write(List<LostTail> all, List<String> needless) throws IOException {
    log.folder().writeAtomically(TailCopy.LIST, LostTailList.toFile(all));
    for (String file : needless) {
      log.folder().delete(file);
    }
  }

  /** Forgets one, and deletes its file. False when it is not listed. */
  public boolean drop(LostTail tail) throws IOException {
    List<LostTail> all = loaded();
    if (!all.remove(tail)) {
      return false;
    }
    write(all, List.of(tail.file()));
    return true;
  }
}
