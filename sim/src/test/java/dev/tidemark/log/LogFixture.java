package dev.tidemark.log;

import dev.tidemark.env.Directory;
import dev.tidemark.env.Directory.OpenMode;
import dev.tidemark.env.LogFile;
import dev.tidemark.sim.VirtualClock;
import dev.tidemark.sim.VirtualDisk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import org.apache.kafka.common.Uuid;

/** A log on a virtual disk, and what tests do with it. */
final class LogFixture {
  static final LogId ID = new LogId("orders", 0, new Uuid(5, 6));

  final VirtualDisk disk = new VirtualDisk(1);
  final VirtualClock clock = new VirtualClock(1_700_000_000_000L);
  LogSettings settings = LogSettings.defaults();

  Directory folder() {
    return disk.root().directory(ID.folderName());
  }

  PartitionLog open() throws IOException {
    return open(LogOpening.unknown());
  }

  PartitionLog open(LogOpening opening) throws IOException {
    return PartitionLog.open(ID, folder(), settings, opening, clock);
  }

  PartitionLog openAfterKill(long recoveryPoint) throws IOException {
    disk.processKill();
    return open(new LogOpening(false, recoveryPoint, 0));
  }

  PartitionLog openAfterCleanStop(PartitionLog log) throws IOException {
    log.close(true);
    disk.processKill();
    return open(new LogOpening(true, log.logEndOffset(), log.logStartOffset()));
  }

  AppendResult append(PartitionLog log, int epoch, String... values)
      throws RefusedAppend, IOException {
    return log.append(Batches.plain(clock.wallMs(), values), epoch, AppendOrigin.CLIENT);
  }

  /** A batch as a leader sends it. */
  ByteBuffer replicated(long baseOffset, int epoch, String... values) {
    ByteBuffer batch = Batches.plain(clock.wallMs(), values);
    return batch.putLong(0, baseOffset).putInt(12, epoch);
  }

  /** Base offsets of what can be read. */
  static List<Long> bases(PartitionLog log) throws Exception {
    return StoredBatch.read(log, log.logStartOffset(), 1 << 20).stream()
        .map(StoredBatch::baseOffset)
        .toList();
  }

  void overwrite(String name, int position, byte... bytes) throws IOException {
    try (LogFile file = folder().open(name, OpenMode.READ_WRITE)) {
      file.write(ByteBuffer.wrap(bytes), position);
    }
  }

  void cut(String name, long size) throws IOException {
    try (LogFile file = folder().open(name, OpenMode.READ_WRITE)) {
      file.truncate(size);
    }
  }
}
