package dev.tidemark.bench;

import dev.tidemark.protocol.BatchRules;
import dev.tidemark.protocol.BatchValidator;
import dev.tidemark.protocol.BatchViolation;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32C;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** What it costs to check a client's batch of about 128 KiB before it is appended. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 3, time = 1)
@Fork(1)
public class ValidationBenchmark {
  private static final int BATCH_BYTES = 128 << 10;
  private static final long NOW_MS = 1_000_000;

  /** Bytes of a record's value. */
  @Param({"1024", "100"})
  public int valueBytes;

  private final BatchValidator validator = new BatchValidator();
  private ByteBuffer batch = ByteBuffer.allocate(0);
  private @Nullable BatchRules rules;

  /** Makes the batch. */
  @Setup
  public void makeBatch() {
    SimpleRecord[] records = new SimpleRecord[BATCH_BYTES / (valueBytes + 8)];
    Arrays.setAll(records, i -> new SimpleRecord(NOW_MS, new byte[valueBytes]));
    ByteBuffer made = MemoryRecords.withRecords(Compression.NONE, records).buffer();
    batch = ByteBuffer.allocateDirect(made.remaining()).put(made).flip();
    rules =
        new BatchRules("bench-0", false, 1 << 20, false, Long.MAX_VALUE, 3_600_000, -1, -1, 9, 3);
  }

  /** The floor: the batch's CRC alone, as the JDK computes it. */
  @Benchmark
  public long crc() {
    CRC32C crc = new CRC32C();
    crc.update(batch.duplicate());
    return crc.getValue();
  }

  /** Null: the batch is good. */
  @Benchmark
  public @Nullable BatchViolation check() {
    return rules == null ? null : validator.check(batch, rules, NOW_MS);
  }
}
