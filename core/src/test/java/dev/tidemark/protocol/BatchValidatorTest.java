package dev.tidemark.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.stream.Stream;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MemoryRecordsBuilder;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class BatchValidatorTest {
  private static final long NOW = 1_700_000_000_000L;
  private static final BatchRules RULES =
      new BatchRules("t-0", false, 1_000_000, false, 10_000, 5_000, -1, -1, 9, 3);

  private final BatchValidator validator = new BatchValidator();

  static Stream<Compression> codecs() {
    return Stream.of(
        Compression.NONE,
        Compression.gzip().build(),
        Compression.snappy().build(),
        Compression.lz4().build(),
        Compression.zstd().build());
  }

  private static MemoryRecordsBuilder builder(Compression codec) {
    return MemoryRecords.builder(
        ByteBuffer.allocate(4096),
        (byte) 2,
        codec,
        TimestampType.CREATE_TIME,
        0L,
        -1L,
        -1,
        (short) -1,
        -1,
        false,
        -1);
  }

  private static byte @Nullable [] bytes(@Nullable String text) {
    return text == null ? null : text.getBytes(StandardCharsets.UTF_8);
  }

  private static ByteBuffer batch(Compression codec) {
    MemoryRecordsBuilder builder = builder(codec);
    for (int i = 0; i < 50; i++) {
      Header[] headers =
          i % 7 == 0
              ? new Header[] {
                new RecordHeader("h", bytes("v")), new RecordHeader("null", (byte[]) null)
              }
              : new Header[0];
      builder.append(
          new SimpleRecord(NOW - 50 + i, bytes("key" + i), bytes("value ".repeat(i)), headers));
    }
    return direct(builder);
  }

  private static ByteBuffer direct(MemoryRecordsBuilder builder) {
    ByteBuffer built = builder.build().buffer();
    return ByteBuffer.allocateDirect(built.remaining()).put(built).flip();
  }

  private static BatchHeader header(ByteBuffer batch) {
    return new BatchHeader().wrap(batch, batch.position());
  }

  /** Makes the CRC right again after a change. */
  private static ByteBuffer sealed(ByteBuffer batch) {
    BatchHeader header = header(batch);
    long max = header.maxTimestampMs();
    header.setMaxTimestamp(header.isLogAppendTime(), max + 1);
    header.setMaxTimestamp(header.isLogAppendTime(), max);
    assertThat(header.crcMatches()).isTrue();
    return batch;
  }

  private BatchViolation refused(ByteBuffer batch, BatchRules rules, Errors error) {
    BatchViolation violation = validator.check(batch, rules, NOW);
    assertThat(violation).as("violation").isNotNull();
    assertThat(Objects.requireNonNull(violation).error()).as(violation.message()).isEqualTo(error);
    return violation;
  }

  @ParameterizedTest
  @MethodSource("codecs")
  void whatKafkasClientBuildsIsAccepted(Compression codec) {
    ByteBuffer batch = batch(codec);
    ByteBuffer before = ByteBuffer.allocate(batch.remaining()).put(batch.duplicate()).flip();
    assertThat(validator.check(batch, RULES, NOW)).isNull();
    assertThat(batch).isEqualTo(before);
  }

  @ParameterizedTest
  @MethodSource("codecs")
  void anyChangedByteIsRefused(Compression codec) {
    ByteBuffer batch = batch(codec);
    Random random = new Random(1);
    for (int i = 0; i < 400; i++) {
      int at = random.nextInt(batch.limit());
      byte was = batch.get(at);
      batch.put(at, (byte) (was ^ (1 + random.nextInt(255))));
      boolean leaderEpoch = at >= 12 && at < 16;
      assertThat(validator.check(batch, RULES, NOW) == null)
          .as("byte %s", at)
          .isEqualTo(leaderEpoch);
      batch.put(at, was);
    }
  }

  @ParameterizedTest
  @MethodSource("codecs")
  void changedBytesUnderAValidCrcNeverDoMoreThanAViolation(Compression codec) {
    Random random = new Random(2);
    int accepted = 0;
    for (int i = 0; i < 2000; i++) {
      ByteBuffer batch = batch(codec);
      for (int n = 0; n < 1 + random.nextInt(3); n++) {
        int at = BatchHeader.CRC_COVERS_FROM + random.nextInt(batch.limit() - 21);
        batch.put(at, (byte) random.nextInt(256));
      }
      BatchViolation violation = validator.check(sealed(batch), RULES, NOW);
      if (violation == null) {
        accepted++;
        readableByKafka(batch);
      }
    }
    assertThat(accepted).isLessThan(2000);
  }

  @Test
  void aSnappyBlockThatClaimsToBeHugeIsRefusedBeforeAnyoneAllocatesIt() {
    for (boolean framed : new boolean[] {true, false}) {
      ByteBuffer batch = batch(Compression.snappy().build());
      int block = BatchHeader.SIZE + (framed ? 20 : 0);
      if (!framed) {
        batch.put(BatchHeader.SIZE, (byte) 0);
      }
      for (int i = 0; i < 4; i++) {
        batch.put(block + i, (byte) 0xff);
      }
      batch.put(block + 4, (byte) 0x07);
      assertThat(refused(sealed(batch), RULES, Errors.INVALID_RECORD).message())
          .contains("impossible size");
    }
  }

  private static void readableByKafka(ByteBuffer batch) {
    BatchHeader header = header(batch);
    long expected = 0;
    for (Record record : MemoryRecords.readableRecords(batch.duplicate()).records()) {
      record.ensureValid();
      assertThat(record.offset()).isEqualTo(expected++);
    }
    assertThat(expected).isEqualTo(header.recordCount());
  }

  @Test
  void theFastLookAndTheThoroughWalkAgree() {
    Random random = new Random(3);
    PlainRecords plain = new PlainRecords();
    for (int i = 0; i < 20_000; i++) {
      ByteBuffer batch = batch(Compression.NONE);
      int at = BatchHeader.SIZE + random.nextInt(batch.limit() - BatchHeader.SIZE);
      batch.put(at, (byte) random.nextInt(256));
      BatchHeader header = header(batch);
      boolean thorough = true;
      try (RecordCursor cursor = RecordCursor.over(batch, header)) {
        for (int n = 0; n < header.recordCount() && thorough; n++) {
          thorough = cursor.next() && cursor.offsetDelta() == n;
        }
        thorough = thorough && cursor.atEnd();
      }
      assertThat(plain.areWellFormed(batch, header)).as("byte %s", at).isEqualTo(thorough);
    }
  }

  @Test
  void theFastLookTakesRecordsOfAllSizesAndTimes() {
    Random random = new Random(4);
    int[] sizes = {0, 1, 5, 60, 64, 120, 8_100, 8_180, 9_000};
    long[] deltasMs = {0, 1, 63, 64, 8_191, 8_192, 3_000_000, -1, -70, -9_000};
    PlainRecords plain = new PlainRecords();
    for (int round = 0; round < 500; round++) {
      MemoryRecordsBuilder builder = builder(Compression.NONE);
      long oldestMs = Long.MAX_VALUE;
      long newestMs = -1;
      for (int i = random.nextInt(100); i >= 0; i--) {
        long timestampMs = NOW + deltasMs[random.nextInt(deltasMs.length)];
        oldestMs = Math.min(oldestMs, timestampMs);
        newestMs = Math.max(newestMs, timestampMs);
        byte[] key = random.nextBoolean() ? null : new byte[random.nextInt(70)];
        byte[] value = new byte[sizes[random.nextInt(sizes.length)]];
        builder.append(new SimpleRecord(timestampMs, key, i % 3 == 0 ? null : value));
      }
      ByteBuffer batch = direct(builder);
      assertThat(plain.areWellFormed(batch, header(batch))).as("round %s", round).isTrue();
      assertThat(plain.oldestMs()).isEqualTo(oldestMs);
      assertThat(plain.newestMs()).isEqualTo(newestMs);
    }
  }

  @Test
  void aKeyIsMissingHoweverManyBytesSayItsNull() {
    MemoryRecordsBuilder builder = builder(Compression.NONE);
    builder.append(new SimpleRecord(NOW, null, bytes("v")));
    ByteBuffer plain = direct(builder);
    int keyAt = BatchHeader.SIZE + 4;
    ByteBuffer longer = ByteBuffer.allocateDirect(plain.limit() + 1);
    longer.put(plain.slice(0, keyAt)).put((byte) 0x81).put((byte) 0);
    longer.put(plain.slice(keyAt + 1, plain.limit() - keyAt - 1)).flip();
    longer.putInt(8, plain.getInt(8) + 1);
    longer.put(BatchHeader.SIZE, (byte) (plain.get(BatchHeader.SIZE) + 2));
    BatchRules compacted = new BatchRules("t-0", true, 1 << 20, false, 10_000, 5_000, -1, -1, 9, 3);
    assertThat(refused(sealed(longer), compacted, Errors.INVALID_RECORD).message())
        .contains("without a key");
    refused(plain, compacted, Errors.INVALID_RECORD);
  }

  @Test
  void exactlyOneBatchIsAccepted() {
    ByteBuffer one = batch(Compression.NONE);
    ByteBuffer two = ByteBuffer.allocate(2 * one.remaining());
    two.put(one.duplicate()).put(one.duplicate()).flip();
    assertThat(refused(two, RULES, Errors.INVALID_RECORD).message())
        .contains("exactly one record batch");
    refused(ByteBuffer.allocate(0), RULES, Errors.INVALID_RECORD);
    refused(one.duplicate().limit(100), RULES, Errors.INVALID_RECORD);
  }

  @Test
  void oldFormatsAreRefused() {
    refused(batch(Compression.NONE).put(16, (byte) 1), RULES, Errors.INVALID_RECORD);
    refused(batch(Compression.NONE).put(16, (byte) 7), RULES, Errors.CORRUPT_MESSAGE);
  }

  @Test
  void aBatchLargerThanTheTopicAllowsIsTooLarge() {
    ByteBuffer batch = batch(Compression.NONE);
    BatchRules small =
        new BatchRules("t-0", false, batch.remaining() - 1, false, 10_000, 5_000, -1, -1, 9, 3);
    assertThat(refused(batch, small, Errors.MESSAGE_TOO_LARGE).message())
        .contains("max.message.bytes = " + (batch.remaining() - 1));
  }

  @Test
  void offsetsAndCountsMustAgree() {
    refused(batch(Compression.NONE).putLong(0, 5), RULES, Errors.INVALID_RECORD);
    refused(sealed(batch(Compression.NONE).putInt(57, 49)), RULES, Errors.INVALID_RECORD);
    refused(sealed(batch(Compression.NONE).putInt(57, 0)), RULES, Errors.INVALID_RECORD);
    refused(sealed(batch(Compression.NONE).putInt(23, 60)), RULES, Errors.INVALID_RECORD);
    refused(
        sealed(batch(Compression.NONE).putInt(57, 51).putInt(23, 50)),
        RULES,
        Errors.INVALID_RECORD);
    refused(
        sealed(batch(Compression.NONE).putInt(57, 49).putInt(23, 48)),
        RULES,
        Errors.INVALID_RECORD);
  }

  @Test
  void clientsMayNotWriteControlBatches() {
    refused(
        sealed(batch(Compression.NONE).putShort(21, (short) 0x20)), RULES, Errors.INVALID_RECORD);
  }

  @Test
  void anUnknownCodecIsNotSupported() {
    refused(
        sealed(batch(Compression.NONE).putShort(21, (short) 5)),
        RULES,
        Errors.UNSUPPORTED_COMPRESSION_TYPE);
  }

  @Test
  void aProducerNeedsASequenceAndATransactionAProducer() {
    refused(sealed(batch(Compression.NONE).putLong(43, 7)), RULES, Errors.INVALID_RECORD);
    refused(
        sealed(batch(Compression.NONE).putLong(43, 7).putInt(53, 0)), RULES, Errors.INVALID_RECORD);
    refused(
        sealed(batch(Compression.NONE).putShort(21, (short) 0x10)), RULES, Errors.INVALID_RECORD);
  }

  @ParameterizedTest
  @MethodSource("codecs")
  void aCompactedTopicNamesTheRecordsWithoutAKey(Compression codec) {
    MemoryRecordsBuilder builder = builder(codec);
    builder.append(new SimpleRecord(NOW, bytes("k"), bytes("v")));
    builder.append(new SimpleRecord(NOW, bytes(null), bytes("v")));
    builder.append(new SimpleRecord(NOW, bytes(""), bytes(null)));
    builder.append(new SimpleRecord(NOW, bytes(null), bytes(null)));
    ByteBuffer batch = direct(builder);
    assertThat(validator.check(batch, RULES, NOW)).isNull();
    BatchRules compacted = new BatchRules("t-0", true, 1_000, false, 10_000, 5_000, -1, -1, 9, 3);
    assertThat(refused(batch, compacted, Errors.INVALID_RECORD).records())
        .extracting(BatchViolation.AtRecord::index)
        .isEqualTo(List.of(1, 3));
  }

  @ParameterizedTest
  @MethodSource("codecs")
  void timestampsMustLieWithinTheBounds(Compression codec) {
    MemoryRecordsBuilder builder = builder(codec);
    for (long ms : new long[] {NOW - 10_000, NOW - 10_001, NOW + 5_000, NOW + 5_001}) {
      builder.append(new SimpleRecord(ms, bytes("k"), bytes("v")));
    }
    ByteBuffer batch = direct(builder);
    assertThat(refused(batch, RULES, Errors.INVALID_TIMESTAMP).records())
        .extracting(BatchViolation.AtRecord::index)
        .isEqualTo(List.of(1, 3));
    BatchRules appendTime = new BatchRules("t-0", false, 1_000, true, 10_000, 5_000, -1, -1, 9, 3);
    assertThat(validator.check(batch, appendTime, NOW)).isNull();
  }

  @ParameterizedTest
  @MethodSource("codecs")
  void appendTimeReplacesTheProducersTime(Compression codec) {
    BatchRules appendTime =
        new BatchRules("t-0", false, 100_000, true, 10_000, 5_000, -1, -1, 9, 3);
    ByteBuffer batch = batch(codec);
    assertThat(validator.check(batch, appendTime, NOW + 77)).isNull();
    for (Record record : MemoryRecords.readableRecords(batch.duplicate()).records()) {
      record.ensureValid();
      assertThat(record.timestamp()).isEqualTo(NOW + 77);
    }
    assertThat(header(batch).crcMatches()).isTrue();
  }

  @ParameterizedTest
  @MethodSource("codecs")
  void aWrongMaxTimestampIsCorrected(Compression codec) {
    ByteBuffer batch = batch(codec);
    header(batch).setMaxTimestamp(false, NOW + 123_456);
    assertThat(validator.check(batch, RULES, NOW)).isNull();
    assertThat(header(batch).maxTimestampMs()).isEqualTo(NOW - 1);
    assertThat(header(batch).crcMatches()).isTrue();
  }

  @ParameterizedTest
  @MethodSource("codecs")
  void aTopicMayStoreBatchesInItsOwnCodec(Compression codec) {
    for (String type : List.of("uncompressed", "gzip", "snappy", "lz4", "zstd")) {
      int id = BatchRules.compressionIdOf(type);
      BatchRules rules = new BatchRules("t-0", false, 100_000, false, 10_000, 5_000, id, -1, 9, 3);
      ByteBuffer batch = batch(codec);
      assertThat(validator.check(batch, rules, NOW)).isNull();
      ByteBuffer stored = BatchRecords.withTopicCodec(batch, rules);
      assertThat(header(stored).compressionId()).isEqualTo(id);
      assertThat(header(stored).crcMatches()).isTrue();
      assertThat(header(stored).maxTimestampMs()).isEqualTo(NOW - 1);
      assertThat(validator.check(stored, rules, NOW)).isNull();
      assertThat(values(stored)).isEqualTo(values(batch(codec)));
    }
  }

  private static List<String> values(ByteBuffer batch) {
    Stream.Builder<String> values = Stream.builder();
    for (Record record : MemoryRecords.readableRecords(batch.duplicate()).records()) {
      values.add(
          record.timestamp()
              + String.valueOf(StandardCharsets.UTF_8.decode(record.key()))
              + StandardCharsets.UTF_8.decode(record.value())
              + record.headers().length);
    }
    return values.build().toList();
  }

  @Test
  void aRecordIsFoundByTimeInAnyCodec() {
    codecs()
        .forEach(
            codec -> {
              ByteBuffer batch = batch(codec);
              assertThat(BatchRecords.firstAtOrAfter(batch, 0, NOW - 20, 0))
                  .isEqualTo(new BatchRecords.Found(NOW - 20, 30));
              assertThat(BatchRecords.firstAtOrAfter(batch, 0, 0, 49))
                  .isEqualTo(new BatchRecords.Found(NOW - 1, 49));
              assertThat(BatchRecords.firstAtOrAfter(batch, 0, NOW, 0)).isNull();
            });
  }
}
