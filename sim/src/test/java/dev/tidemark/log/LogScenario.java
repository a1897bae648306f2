package dev.tidemark.log;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.env.Directory;
import dev.tidemark.sim.SeededRandomness;
import dev.tidemark.sim.VirtualClock;
import dev.tidemark.sim.VirtualDisk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.common.Uuid;
import org.jspecify.annotations.Nullable;

/**
 * A life of a log that a seed determines, beside a model of it in plain collections: what was
 * appended, what is synced, what the broker's checkpoints say.
 */
final class LogScenario {
  static final LogId ID = new LogId("t", 0, new Uuid(3, 4));
  private static final long START_MS = 1_700_000_000_000L;
  private static final int PRODUCERS = 4;

  /** Producers with an id below it write transactions only. */
  private static final int TRANSACTIONAL = 2;

  final VirtualDisk disk;
  final VirtualClock clock = new VirtualClock(START_MS);
  private final SeededRandomness random;
  private final LogSettings settings;
  PartitionLog log;

  /** Batches by base offset. */
  final TreeMap<Long, StoredBatch> model = new TreeMap<>();

  private final Map<Long, int[]> producers = new HashMap<>();
  long endOffset;
  long startOffset;
  long mustSurvive;
  long checkpoint;
  private int epoch = 1;
  private @Nullable ByteBuffer pending;
  private @Nullable Long emptiedAt;
  private long highestEnd;

  /** What a checkpoint told last; null when a cut made it void. */
  private @Nullable LogSummary known;

  int resumptions;

  LogScenario(long seed, VirtualDisk disk) throws IOException {
    this.disk = disk;
    this.random = new SeededRandomness(seed);
    this.settings =
        LogSettings.defaults()
            .withSegmentBytes(1500 + random.nextInt(3000))
            .withIndexIntervalBytes(random.nextInt(400))
            .withRetentionBytes(4000 + random.nextInt(8000))
            .withRetentionMs(-1);
    this.log = open(false);
  }

  Directory folder() {
    return disk.root().directory(ID.folderName());
  }

  PartitionLog open(boolean clean) throws IOException {
    return PartitionLog.open(
        ID, folder(), settings, new LogOpening(clean, checkpoint, startOffset), clock);
  }

  void run(int steps) throws Exception {
    for (int i = 0; i < steps; i++) {
      step();
    }
  }

  private void step() throws Exception {
    clock.advanceMs(random.nextInt(50));
    int draw = random.nextInt(100);
    if (draw < 50) {
      append();
    } else if (draw < 60) {
      endTransaction();
    } else if (draw < 70) {
      flush();
    } else if (draw < 76) {
      truncate();
    } else if (draw < 80) {
      log.roll();
    } else if (draw < 85) {
      log.assignEpochStart(++epoch);
    } else if (draw < 89) {
      retain();
    } else if (draw < 93) {
      replicate();
    } else if (draw < 94) {
      truncateFully();
    } else if (draw < 95) {
      log.releaseIdleFiles();
      known = log.summary();
    } else {
      restart();
    }
  }

  private void append() throws Exception {
    ByteBuffer batch = nextBatch();
    pending = batch.duplicate();
    boolean transactional = StoredBatch.at(batch, 0).transactional();
    AppendOrigin origin = transactional ? AppendOrigin.COORDINATOR : AppendOrigin.CLIENT;
    AppendResult result = log.append(batch, epoch, origin);
    assertThat(result.baseOffset()).isEqualTo(endOffset);
    commit(batch);
    assertThat(result.lastOffset()).isEqualTo(endOffset - 1);
  }

  private void commit(ByteBuffer batches) {
    for (StoredBatch batch : StoredBatch.allIn(batches)) {
      model.put(batch.baseOffset(), batch);
      endOffset = batch.lastOffset() + 1;
    }
    highestEnd = Math.max(highestEnd, endOffset);
    pending = null;
    assertThat(log.logEndOffset()).isEqualTo(endOffset);
  }

  private ByteBuffer nextBatch() {
    String[] values = new String[1 + random.nextInt(4)];
    for (int i = 0; i < values.length; i++) {
      values[i] = "v".repeat(random.nextInt(120)) + random.nextInt(1000);
    }
    long producerId = random.nextInt(PRODUCERS + 1) - 1L;
    if (producerId < 0) {
      return Batches.plain(clock.wallMs(), values);
    }
    int[] next = producers.computeIfAbsent(producerId, id -> new int[] {0, 0});
    ByteBuffer batch =
        producerId < TRANSACTIONAL
            ? Batches.transactional(producerId, next[0], next[1], clock.wallMs(), values)
            : Batches.of(producerId, next[0], next[1], clock.wallMs(), values);
    next[1] += values.length;
    return batch;
  }

  private void endTransaction() throws Exception {
    long producerId = random.nextInt(TRANSACTIONAL);
    boolean commit = random.nextInt(2) == 0;
    int[] next = producers.get(producerId);
    if (next != null) {
      ByteBuffer marker = Batches.marker(producerId, next[0], commit, 1, clock.wallMs());
      pending = marker.duplicate();
      log.append(marker, epoch, AppendOrigin.COORDINATOR);
      commit(marker);
    }
  }

  private void replicate() throws Exception {
    ByteBuffer both = ByteBuffer.allocateDirect(4096);
    long offset = endOffset;
    epoch++;
    for (int i = 0; i < 1 + random.nextInt(3); i++) {
      ByteBuffer batch = nextBatch();
      batch.putLong(0, offset).putInt(12, epoch);
      offset = StoredBatch.at(batch, 0).lastOffset() + 1;
      both.put(batch);
    }
    pending = both.flip().duplicate();
    log.appendReplicated(both);
    commit(both);
  }

  private void flush() throws Exception {
    log.flushAndWait();
    assertThat(log.syncedEndOffset()).isEqualTo(endOffset);
    mustSurvive = endOffset;
    checkpoint = log.recoveryPoint();
    known = log.summary();
  }

  private void truncate() throws Exception {
    long low = Math.max(startOffset, endOffset - 30);
    long offset = low + random.nextInt((int) (endOffset - low) + 1);
    StoredBatch cut = model.floorEntry(offset) == null ? null : model.floorEntry(offset).getValue();
    long end = cut != null && cut.lastOffset() >= offset ? cut.baseOffset() : offset;
    mustSurvive = Math.min(mustSurvive, end);
    known = null;
    log.truncateTo(offset);
    assertThat(log.logEndOffset()).isEqualTo(end);
    model.tailMap(end, true).clear();
    endOffset = end;
    startOffset = Math.min(startOffset, end);
    checkpoint = Math.min(checkpoint, log.recoveryPoint());
    epoch++;
    resetSequences();
  }

  /** After a cut the producers go on from what the log still has. */
  private void resetSequences() {
    for (Map.Entry<Long, int[]> producer : producers.entrySet()) {
      ProducerEntry entry = log.producers().entry(producer.getKey());
      producer.getValue()[1] = entry == null ? 0 : entry.lastSequence() + 1;
      if (entry == null) {
        producer.getValue()[0]++;
      }
    }
  }

  private void truncateFully() throws Exception {
    long offset = random.nextInt(2) == 0 ? log.logStartOffset() : endOffset + random.nextInt(50);
    mustSurvive = 0;
    emptiedAt = offset;
    known = null;
    log.truncateFullyAndStartAt(offset);
    emptiedAt = null;
    model.clear();
    endOffset = offset;
    startOffset = offset;
    checkpoint = Math.min(checkpoint, log.recoveryPoint());
    resetSequences();
  }

  private void retain() throws Exception {
    if (random.nextInt(2) == 0 && endOffset > startOffset) {
      long newStart = startOffset + random.nextInt((int) (endOffset - startOffset) + 1);
      log.advanceLogStartOffset(newStart, endOffset);
      startOffset = Math.max(startOffset, newStart);
    }
    log.deleteOldSegments(endOffset);
    startOffset = log.logStartOffset();
    Directory folder = folder();
    for (String name : log.takeFilesToDelete()) {
      folder.delete(name);
    }
  }

  private void restart() throws Exception {
    boolean clean = random.nextInt(2) == 0;
    boolean byFiles = random.nextInt(2) == 0;
    log.close(clean);
    LogSummary left = clean ? log.summary() : known;
    if (clean) {
      mustSurvive = endOffset;
      checkpoint = endOffset;
    }
    disk.processKill();
    if (byFiles || left == null || !left.isStillTrue(folder())) {
      log = open(clean);
    } else {
      log = PartitionLog.resume(ID, folder(), settings, left, clean, clock);
      resumptions++;
    }
    known = null;
    check();
    assertThat(log.logEndOffset()).isEqualTo(endOffset);
    resetSequences();
  }

  /** Opens the log after a power loss and compares. */
  void recoverAndCheck() throws Exception {
    log = open(false);
    check();
  }

  private void check() throws Exception {
    List<StoredBatch> found = StoredBatch.read(log, log.logStartOffset(), 1000);
    TreeMap<Long, StoredBatch> expected = new TreeMap<>(model);
    if (pending != null) {
      for (StoredBatch batch : StoredBatch.allIn(pending)) {
        expected.put(batch.baseOffset(), batch);
      }
    }
    assertThat(log.logEndOffset()).isGreaterThanOrEqualTo(Math.max(mustSurvive, startOffset));
    checkPrefix(found, expected);
    checkEpochs(found);
    checkProducers(found);
    checkTransactions(expected, found);
    assertThat(folder().list()).noneMatch(name -> name.endsWith(".tmp"));
  }

  private void checkPrefix(List<StoredBatch> found, Map<Long, StoredBatch> expected) {
    long next = -1;
    for (StoredBatch batch : found) {
      assertThat(batch).isEqualTo(expected.get(batch.baseOffset()));
      if (next >= 0) {
        assertThat(batch.baseOffset()).isEqualTo(next);
      }
      next = batch.lastOffset() + 1;
    }
    if (next >= 0) {
      assertThat(log.logEndOffset()).isEqualTo(next);
      assertThat(found.get(0).lastOffset()).isGreaterThanOrEqualTo(log.logStartOffset());
    } else if (emptiedAt == null) {
      assertThat(log.logEndOffset()).isEqualTo(log.logStartOffset());
    }
  }

  private void checkEpochs(List<StoredBatch> found) {
    for (StoredBatch batch : found) {
      assertThat(log.epochForOffset(Math.max(batch.baseOffset(), log.logStartOffset())))
          .as("epoch of %s in %s", batch, log.epochStarts())
          .isEqualTo(batch.epoch());
    }
    for (EpochStart start : log.epochStarts()) {
      assertThat(start.startOffset())
          .isBetween(log.logStartOffset(), Math.max(log.logStartOffset(), log.logEndOffset() - 1));
    }
  }

  private void checkProducers(List<StoredBatch> found) {
    Map<Long, StoredBatch> last = new TreeMap<>();
    for (StoredBatch batch : found) {
      if (batch.producerId() >= 0 && !batch.control()) {
        last.put(batch.producerId(), batch);
      }
    }
    List<String> expected = new ArrayList<>();
    List<String> actual = new ArrayList<>();
    for (StoredBatch batch : last.values()) {
      expected.add(batch.producerId() + "/" + batch.producerEpoch() + "/" + batch.lastSequence());
      ProducerEntry entry = log.producers().entry(batch.producerId());
      actual.add(
          entry == null
              ? "none"
              : entry.producerId() + "/" + entry.epoch() + "/" + entry.lastSequence());
    }
    assertThat(actual).isEqualTo(expected);
  }

  /**
   * Compares open and aborted transactions with what the batches say: all that were ever appended
   * and still count, or, when a power loss took a snapshot of what retention deleted, only those
   * that are left. Both hide exactly the same of what can be read.
   */
  private void checkTransactions(Map<Long, StoredBatch> all, List<StoredBatch> left)
      throws Exception {
    Transactions ever = new Transactions(all.values());
    Transactions still = new Transactions(left);
    Map<Long, Long> found = new TreeMap<>();
    for (AbortedTxn txn : log.abortedTransactions(log.logStartOffset(), log.logEndOffset())) {
      found.put(txn.lastOffset(), txn.firstOffset());
    }
    assertThat(ever.aborted.keySet()).containsAll(found.keySet());
    assertThat(found.keySet()).containsAll(still.aborted.keySet());
    for (Map.Entry<Long, Long> txn : found.entrySet()) {
      long first = ever.aborted.get(txn.getKey());
      // What it says of offsets below the start of the log is all the same.
      long latest = still.aborted.getOrDefault(txn.getKey(), log.logStartOffset());
      assertThat(txn.getValue()).isBetween(first, Math.max(first, latest));
    }
    assertThat(log.lastStableOffset(log.logEndOffset()))
        .isBetween(ever.lastStableOffset(), still.lastStableOffset());
  }

  /** Transactions by the batches that show them. */
  private final class Transactions {
    private final Map<Long, Long> open = new TreeMap<>();
    private final Map<Long, Long> aborted = new TreeMap<>();

    Transactions(Iterable<StoredBatch> batches) {
      for (StoredBatch batch : batches) {
        if (batch.baseOffset() < log.logEndOffset() && batch.control()) {
          end(batch);
        } else if (batch.baseOffset() < log.logEndOffset() && batch.transactional()) {
          open.putIfAbsent(batch.producerId(), batch.baseOffset());
        }
      }
    }

    private void end(StoredBatch marker) {
      Long first = open.remove(marker.producerId());
      if (first != null && marker.isAbort() && marker.lastOffset() >= log.logStartOffset()) {
        aborted.put(marker.lastOffset(), first);
      }
    }

    long lastStableOffset() {
      long first = open.values().stream().mapToLong(offset -> offset).min().orElse(Long.MAX_VALUE);
      return Math.max(log.logStartOffset(), Math.min(first, log.logEndOffset()));
    }
  }
}
