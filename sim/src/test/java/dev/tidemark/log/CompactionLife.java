package dev.tidemark.log;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.env.Directory;
import dev.tidemark.sim.SeededRandomness;
import dev.tidemark.sim.VirtualClock;
import dev.tidemark.sim.VirtualDisk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MutableRecordBatch;
import org.apache.kafka.common.record.internal.Record;
import org.jspecify.annotations.Nullable;

/**
 * A compacted log that a seed fills with values, tombstones and transactions and compacts now and
 * then, beside all records that were ever appended.
 */
final class CompactionLife {
  private static final LogId ID = new LogId("c", 0, new Uuid(7, 8));
  private static final long START_MS = 1_700_000_000_000L;
  private static final int KEYS = 12;
  private static final int PRODUCERS = 3;
  static final long DELETE_RETENTION_MS = 10_000;

  final VirtualDisk disk;
  final VirtualClock clock = new VirtualClock(START_MS);
  private final SeededRandomness random;
  private final LogSettings settings;
  private final CleanerBounds bounds;
  private final boolean forgetful;
  PartitionLog log;
  long firstDirty;
  private long checkpoint;
  private int values;

  /** Every record ever appended, by offset. */
  private final TreeMap<Long, Appended> appended = new TreeMap<>();

  private final Map<Long, int[]> sequences = new HashMap<>();
  private final Map<Long, Long> open = new HashMap<>();

  /** What a record is; aborted ones are marked when their transaction ends. */
  private static final class Appended {
    final String key;
    final @Nullable String value;
    final long producerId;
    boolean aborted;

    Appended(String key, @Nullable String value, long producerId) {
      this.key = key;
      this.value = value;
      this.producerId = producerId;
    }
  }

  CompactionLife(long seed, VirtualDisk disk) throws IOException {
    this(seed, disk, false);
  }

  /**
   * With {@code forgetful} few keys fit into memory, tombstones are often due, and a restart may
   * forget how far the log was compacted.
   */
  CompactionLife(long seed, VirtualDisk disk, boolean forgetful) throws IOException {
    this.disk = disk;
    this.forgetful = forgetful;
    this.random = new SeededRandomness(seed);
    this.settings =
        LogSettings.defaults()
            .withCompact(true)
            .withDelete(false)
            .withRetentionMs(-1)
            .withSegmentBytes(600 + random.nextInt(1500))
            .withIndexIntervalBytes(random.nextInt(300))
            .withDeleteRetentionMs(DELETE_RETENTION_MS);
    this.bounds =
        new CleanerBounds(
            24L * (forgetful ? 5 + random.nextInt(12) : 10 + random.nextInt(40)),
            0.9,
            100 + random.nextInt(1000));
    this.log = open(false);
  }

  Directory folder() {
    return disk.root().directory(ID.folderName());
  }

  PartitionLog open(boolean clean) throws IOException {
    return PartitionLog.open(ID, folder(), settings, new LogOpening(clean, checkpoint, 0), clock);
  }

  void run(int steps) throws Exception {
    for (int i = 0; i < steps; i++) {
      step();
    }
  }

  private void step() throws Exception {
    clock.advanceMs(random.nextInt(200));
    int draw = random.nextInt(100);
    if (draw < 70) {
      append();
    } else if (draw < 82) {
      endTransaction();
    } else if (draw < 90) {
      flush();
    } else if (draw < (forgetful ? 94 : 97)) {
      compact();
    } else if (draw < 98) {
      clock.advanceMs(DELETE_RETENTION_MS);
    } else {
      restart();
    }
  }

  private void append() throws Exception {
    long producerId = random.nextInt(PRODUCERS + 1) - 1L;
    boolean transactional = producerId == 0 || producerId == 1;
    String[] pairs = new String[2 * (1 + random.nextInt(4))];
    for (int i = 0; i < pairs.length; i += 2) {
      pairs[i] = "key" + random.nextInt(KEYS);
      pairs[i + 1] = random.nextInt(4) == 0 ? null : "value" + values++;
    }
    int[] next = sequences.computeIfAbsent(producerId, id -> new int[1]);
    ByteBuffer batch = Batches.keyed(producerId, 0, next[0], transactional, clock.wallMs(), pairs);
    long offset = log.logEndOffset();
    for (int i = 0; i < pairs.length; i += 2) {
      appended.put(offset + i / 2, new Appended(pairs[i], pairs[i + 1], producerId));
    }
    if (transactional) {
      open.putIfAbsent(producerId, offset);
    }
    next[0] += pairs.length / 2;
    log.append(batch, 1, transactional ? AppendOrigin.COORDINATOR : AppendOrigin.CLIENT);
  }

  private void endTransaction() throws Exception {
    long producerId = random.nextInt(2);
    Long first = open.remove(producerId);
    if (first == null) {
      return;
    }
    boolean commit = random.nextInt(2) == 0;
    if (!commit) {
      appended.tailMap(first).values().stream()
          .filter(record -> record.producerId == producerId)
          .forEach(record -> record.aborted = true);
    }
    log.append(
        Batches.marker(producerId, 0, commit, 0, clock.wallMs()), 1, AppendOrigin.COORDINATOR);
  }

  private void flush() throws IOException {
    log.flushAndWait();
    checkpoint = log.recoveryPoint();
  }

  /** Compacts all there is; between steps the log goes on. */
  void compact() throws Exception {
    DirtySection section = log.dirtySection(firstDirty, log.logEndOffset());
    if (section == null) {
      return;
    }
    assertThat(section.endOffsetExclusive())
        .isLessThanOrEqualTo(log.lastStableOffset(log.logEndOffset()));
    flush();
    Cleaner cleaner = log.clean(section, bounds);
    Cleaner.Progress progress = cleaner.step(200);
    while (progress != Cleaner.Progress.DONE) {
      if (progress == Cleaner.Progress.SEGMENT_READY) {
        assertThat(log.adopt(cleaner.takeReady())).isTrue();
      }
      if (random.nextInt(4) == 0) {
        append();
      }
      progress = cleaner.step(200);
    }
    assertThat(cleaner.cleanEndOffset()).isGreaterThan(firstDirty);
    firstDirty = cleaner.cleanEndOffset();
    Directory folder = folder();
    for (String name : log.takeFilesToDelete()) {
      folder.delete(name);
    }
    check();
  }

  private void restart() throws Exception {
    if (forgetful && random.nextInt(2) == 0) {
      firstDirty = random.nextInt(2) == 0 ? -1 : random.nextInt((int) Math.max(1, firstDirty));
    }
    boolean clean = random.nextInt(2) == 0;
    long end = log.logEndOffset();
    log.close(clean);
    if (clean) {
      checkpoint = end;
    }
    disk.processKill();
    log = open(clean);
    assertThat(log.logEndOffset()).isEqualTo(end);
    check();
  }

  /** After a power loss: what was synced is there. */
  void recoverAndCheck() throws Exception {
    long mustBeThere = checkpoint;
    log = open(false);
    assertThat(log.logEndOffset()).isGreaterThanOrEqualTo(mustBeThere);
    appended.tailMap(log.logEndOffset(), true).clear();
    check();
    assertThat(folder().list()).noneMatch(name -> name.endsWith(".cleaned"));
    assertThat(folder().list()).noneMatch(name -> name.endsWith(".swap"));
  }

  /** Every record is as it was appended, and a reader of committed data comes to the same end. */
  void check() throws Exception {
    long end = log.lastStableOffset(log.logEndOffset());
    Map<String, String> expected = new TreeMap<>();
    appended.headMap(end).values().stream()
        .filter(record -> !record.aborted)
        .forEach(record -> apply(expected, record.key, record.value));
    Map<String, String> found = new TreeMap<>();
    List<AbortedTxn> aborted = log.abortedTransactions(log.logStartOffset(), log.logEndOffset());
    for (StoredBatch stored : StoredBatch.read(log, log.logStartOffset(), 1 << 20)) {
      ByteBuffer bytes = ByteBuffer.allocate(stored.bytes().remaining());
      bytes.put(stored.bytes().duplicate()).flip();
      MutableRecordBatch batch = MemoryRecords.readableRecords(bytes).batches().iterator().next();
      batch.ensureValid();
      if (!batch.isControlBatch()) {
        checkBatch(batch, end, aborted, found);
      }
    }
    assertThat(found).isEqualTo(expected);
  }

  private void checkBatch(
      MutableRecordBatch batch, long end, List<AbortedTxn> aborted, Map<String, String> found) {
    boolean hidden =
        batch.isTransactional()
            && aborted.stream()
                .anyMatch(
                    txn ->
                        txn.producerId() == batch.producerId()
                            && batch.baseOffset() >= txn.firstOffset()
                            && batch.lastOffset() < txn.lastOffset());
    for (Record record : batch) {
      Appended original = appended.get(record.offset());
      assertThat(original).as("a record at %s", record.offset()).isNotNull();
      String key = text(record.key());
      String value = record.hasValue() ? text(record.value()) : null;
      assertThat(key + "=" + value)
          .as("the record at %s", record.offset())
          .isEqualTo(original.key + "=" + original.value);
      if (!hidden && record.offset() < end) {
        apply(found, key, value);
      }
    }
  }

  private static String text(ByteBuffer bytes) {
    return StandardCharsets.UTF_8.decode(bytes.duplicate()).toString();
  }

  private static void apply(Map<String, String> state, String key, @Nullable String value) {
    if (value == null) {
      state.remove(key);
    } else {
      state.put(key, value);
    }
  }

  long sizeInBytes() {
    return log.sizeInBytes();
  }
}
