package dev.tidemark.log;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.env.Clock;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.Record;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PartitionLogFilesTest {
  private static final LogId ID = new LogId("orders", 0, new Uuid(1, 2));
  private static final long NOW = 1_700_000_000_000L;

  private static final Clock CLOCK =
      new Clock() {
        @Override
        public long wallMs() {
          return NOW;
        }

        @Override
        public long monotonicNs() {
          return 0;
        }
      };

  @TempDir Path folder;

  private PartitionLog open(LogOpening opening, LogSettings settings) throws Exception {
    return PartitionLog.open(ID, new NioDirectory(folder), settings, opening, CLOCK);
  }

  static List<String> values(PartitionLog log, long from) throws Exception {
    List<String> values = new ArrayList<>();
    long offset = from;
    while (offset < log.logEndOffset()) {
      LogRead read = log.read(offset, 700, true, log.logEndOffset());
      ByteBuffer bytes = ByteBuffer.allocate(read.length());
      assertThat(Objects.requireNonNull(read.slice()).read(bytes, 0)).isEqualTo(read.length());
      for (Record record : MemoryRecords.readableRecords(bytes.flip()).records()) {
        values.add(record.offset() + "=" + StandardCharsets.UTF_8.decode(record.value()));
      }
      assertThat(read.nextOffset()).isGreaterThan(offset);
      offset = read.nextOffset();
    }
    return values;
  }

  @Test
  void whatIsAppendedIsReadBackInOrderAcrossSegmentsAndRestarts() throws Exception {
    LogSettings settings =
        LogSettings.defaults().withSegmentBytes(2000).withIndexIntervalBytes(200);
    List<String> expected = new ArrayList<>();
    PartitionLog log = open(LogOpening.unknown(), settings);
    for (int i = 0; i < 200; i += 2) {
      AppendResult result =
          log.append(Batches.plain(NOW + i, "v" + i, "v" + (i + 1)), 3, AppendOrigin.CLIENT);
      assertThat(result.baseOffset()).isEqualTo(i);
      assertThat(result.lastOffset()).isEqualTo(i + 1);
      expected.add(i + "=v" + i);
      expected.add((i + 1) + "=v" + (i + 1));
    }
    assertThat(values(log, 0)).isEqualTo(expected);
    assertThat(log.segmentCount()).isGreaterThan(4);
    log.close(true);
    try (PartitionLog again = open(new LogOpening(true, 200, 0), settings)) {
      assertThat(again.logEndOffset()).isEqualTo(200);
      assertThat(values(again, 0)).isEqualTo(expected);
      again.close(false);
    }
    try (PartitionLog again = open(new LogOpening(false, 0, 0), settings)) {
      assertThat(values(again, 0)).isEqualTo(expected);
      assertThat(again.epochStarts()).containsExactly(new EpochStart(3, 0));
    }
  }
}
