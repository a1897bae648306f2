package dev.tidemark.log;

import java.util.function.Consumer;

/**
 * The settings of a topic that its logs obey, by Kafka's names; times in milliseconds, sizes in
 * bytes. Immutable: {@code withX} gives a changed copy. Values were checked where they were read.
 */
public final class LogSettings implements Cloneable {
  private static final long DAY_MS = 86_400_000;
  private static final LogSettings DEFAULTS = new LogSettings();

  private int segmentBytes = 1 << 30;
  private long segmentMs = 7 * DAY_MS;
  private long segmentJitterMs = 0;
  private int indexBytes = 10 << 20;
  private int indexIntervalBytes = 4096;
  private long retentionMs = 7 * DAY_MS;
  private long retentionBytes = -1;
  private boolean delete = true;
  private boolean compact = false;
  private double minCleanableDirtyRatio = 0.5;
  private long minCompactionLagMs = 0;
  private long maxCompactionLagMs = Long.MAX_VALUE;
  private long deleteRetentionMs = DAY_MS;
  private int maxMessageBytes = 1048588;
  private boolean logAppendTime = false;
  private long timestampBeforeMaxMs = Long.MAX_VALUE;
  private long timestampAfterMaxMs = 3_600_000;
  private String compressionType = "producer";
  private int gzipLevel = -1;
  private int lz4Level = 9;
  private int zstdLevel = 3;
  private long flushMessages = Long.MAX_VALUE;
  private long flushMs = Long.MAX_VALUE;
  private long fileDeleteDelayMs = 60_000;
  private long producerIdExpirationMs = DAY_MS;

  private LogSettings() {}

  /** Kafka's defaults. */
  public static LogSettings defaults() {
    return DEFAULTS;
  }

  private LogSettings with(Consumer<LogSettings> change) {
    try {
      LogSettings copy = (LogSettings) clone();
      change.accept(copy);
      return copy;
    } catch (CloneNotSupportedException e) {
      throw new AssertionError(e);
    }
  }

  /** True when an acknowledgement waits for a sync of its records: flush.messages = 1. */
  public boolean syncBeforeAck() {
    return flushMessages == 1;
  }

  /** segment.bytes. */
  public int segmentBytes() {
    return segmentBytes;
  }

  public LogSettings withSegmentBytes(int value) {
    return with(s -> s.segmentBytes = value);
  }

  /** segment.ms. */
  public long segmentMs() {
    return segmentMs;
  }

  public LogSettings withSegmentMs(long value) {
    return with(s -> s.segmentMs = value);
  }

  /** When a segment is rolled: what is to be compacted in time must not stay in the active one. */
  long rollMs() {
    return compact ? Math.min(segmentMs, maxCompactionLagMs) : segmentMs;
  }

  /** min.cleanable.dirty.ratio, 0 to 1. */
  public double minCleanableDirtyRatio() {
    return minCleanableDirtyRatio;
  }

  public LogSettings withMinCleanableDirtyRatio(double value) {
    return with(s -> s.minCleanableDirtyRatio = value);
  }

  /** min.compaction.lag.ms. */
  public long minCompactionLagMs() {
    return minCompactionLagMs;
  }

  public LogSettings withMinCompactionLagMs(long value) {
    return with(s -> s.minCompactionLagMs = value);
  }

  /** max.compaction.lag.ms. */
  public long maxCompactionLagMs() {
    return maxCompactionLagMs;
  }

  public LogSettings withMaxCompactionLagMs(long value) {
    return with(s -> s.maxCompactionLagMs = value);
  }

  /** delete.retention.ms: how long tombstones are kept after they were compacted. */
  public long deleteRetentionMs() {
    return deleteRetentionMs;
  }

  public LogSettings withDeleteRetentionMs(long value) {
    return with(s -> s.deleteRetentionMs = value);
  }

  /** segment.jitter.ms. */
  public long segmentJitterMs() {
    return segmentJitterMs;
  }

  public LogSettings withSegmentJitterMs(long value) {
    return with(s -> s.segmentJitterMs = value);
  }

  /** segment.index.bytes. */
  public int indexBytes() {
    return indexBytes;
  }

  public LogSettings withIndexBytes(int value) {
    return with(s -> s.indexBytes = value);
  }

  /** index.interval.bytes. */
  public int indexIntervalBytes() {
    return indexIntervalBytes;
  }

  public LogSettings withIndexIntervalBytes(int value) {
    return with(s -> s.indexIntervalBytes = value);
  }

  /** retention.ms, -1 = for ever. */
  public long retentionMs() {
    return retentionMs;
  }

  public LogSettings withRetentionMs(long value) {
    return with(s -> s.retentionMs = value);
  }

  /** retention.bytes, -1 = no bound. */
  public long retentionBytes() {
    return retentionBytes;
  }

  public LogSettings withRetentionBytes(long value) {
    return with(s -> s.retentionBytes = value);
  }

  /** cleanup.policy contains delete. */
  public boolean delete() {
    return delete;
  }

  public LogSettings withDelete(boolean value) {
    return with(s -> s.delete = value);
  }

  /** cleanup.policy contains compact. */
  public boolean compact() {
    return compact;
  }

  public LogSettings withCompact(boolean value) {
    return with(s -> s.compact = value);
  }

  /** max.message.bytes. */
  public int maxMessageBytes() {
    return maxMessageBytes;
  }

  public LogSettings withMaxMessageBytes(int value) {
    return with(s -> s.maxMessageBytes = value);
  }

  /** message.timestamp.type = LogAppendTime. */
  public boolean logAppendTime() {
    return logAppendTime;
  }

  public LogSettings withLogAppendTime(boolean value) {
    return with(s -> s.logAppendTime = value);
  }

  /** message.timestamp.before.max.ms. */
  public long timestampBeforeMaxMs() {
    return timestampBeforeMaxMs;
  }

  public LogSettings withTimestampBeforeMaxMs(long value) {
    return with(s -> s.timestampBeforeMaxMs = value);
  }

  /** message.timestamp.after.max.ms. */
  public long timestampAfterMaxMs() {
    return timestampAfterMaxMs;
  }

  public LogSettings withTimestampAfterMaxMs(long value) {
    return with(s -> s.timestampAfterMaxMs = value);
  }

  /** compression.type: producer, uncompressed, gzip, snappy, lz4 or zstd. */
  public String compressionType() {
    return compressionType;
  }

  public LogSettings withCompressionType(String value) {
    return with(s -> s.compressionType = value);
  }

  /** compression.gzip.level. */
  public int gzipLevel() {
    return gzipLevel;
  }

  public LogSettings withGzipLevel(int value) {
    return with(s -> s.gzipLevel = value);
  }

  /** compression.lz4.level. */
  public int lz4Level() {
    return lz4Level;
  }

  public LogSettings withLz4Level(int value) {
    return with(s -> s.lz4Level = value);
  }

  /** compression.zstd.level. */
  public int zstdLevel() {
    return zstdLevel;
  }

  public LogSettings withZstdLevel(int value) {
    return with(s -> s.zstdLevel = value);
  }

  /** flush.messages. */
  public long flushMessages() {
    return flushMessages;
  }

  public LogSettings withFlushMessages(long value) {
    return with(s -> s.flushMessages = value);
  }

  /** flush.ms. */
  public long flushMs() {
    return flushMs;
  }

  public LogSettings withFlushMs(long value) {
    return with(s -> s.flushMs = value);
  }

  /** file.delete.delay.ms. */
  public long fileDeleteDelayMs() {
    return fileDeleteDelayMs;
  }

  public LogSettings withFileDeleteDelayMs(long value) {
    return with(s -> s.fileDeleteDelayMs = value);
  }

  /** producer.id.expiration.ms. */
  public long producerIdExpirationMs() {
    return producerIdExpirationMs;
  }

  public LogSettings withProducerIdExpirationMs(long value) {
    return with(s -> s.producerIdExpirationMs = value);
  }
}
