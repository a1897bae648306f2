package dev.tidemark.metadata;

import dev.tidemark.log.LogSettings;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import org.apache.kafka.common.config.TopicConfig;

/**
 * The settings of a topic that have an effect.
 *
 * @param log what its logs obey
 * @param minInsyncReplicas what acks=all asks for, before it is capped by the number of replicas
 * @param uncleanLeaderElection whether a replica outside the ISR may lead
 */
public record TopicSettings(LogSettings log, int minInsyncReplicas, boolean uncleanLeaderElection) {

  private static final Map<String, BiFunction<TopicSettings, String, TopicSettings>> SETTERS =
      setters();

  /** Kafka's defaults. */
  public static TopicSettings defaults() {
    return new TopicSettings(LogSettings.defaults(), 1, false);
  }

  /** The keys that have an effect. */
  public static List<String> keys() {
    return SETTERS.keySet().stream().sorted().toList();
  }

  /** These settings with another value of {@code key}; unchanged if the key has no effect. */
  TopicSettings with(String key, String value) {
    BiFunction<TopicSettings, String, TopicSettings> setter = SETTERS.get(key);
    return setter == null ? this : setter.apply(this, value.trim());
  }

  private TopicSettings withLog(LogSettings changed) {
    return new TopicSettings(changed, minInsyncReplicas, uncleanLeaderElection);
  }

  private static Map<String, BiFunction<TopicSettings, String, TopicSettings>> setters() {
    Map<String, BiFunction<TopicSettings, String, TopicSettings>> all = new HashMap<>();
    all.put(
        TopicConfig.MIN_IN_SYNC_REPLICAS_CONFIG,
        (s, v) -> new TopicSettings(s.log, Integer.parseInt(v), s.uncleanLeaderElection));
    all.put(
        TopicConfig.UNCLEAN_LEADER_ELECTION_ENABLE_CONFIG,
        (s, v) -> new TopicSettings(s.log, s.minInsyncReplicas, Boolean.parseBoolean(v)));
    addLog(all, TopicConfig.SEGMENT_BYTES_CONFIG, (l, v) -> l.withSegmentBytes(toInt(v)));
    // Kafka's own tests and tools use this one to make segments smaller than 1 MiB.
    addLog(all, "internal.segment.bytes", (l, v) -> l.withSegmentBytes(toInt(v)));
    addLog(all, TopicConfig.SEGMENT_MS_CONFIG, (l, v) -> l.withSegmentMs(toLong(v)));
    addLog(all, TopicConfig.SEGMENT_JITTER_MS_CONFIG, (l, v) -> l.withSegmentJitterMs(toLong(v)));
    addLog(all, TopicConfig.SEGMENT_INDEX_BYTES_CONFIG, (l, v) -> l.withIndexBytes(toInt(v)));
    addLog(
        all, TopicConfig.INDEX_INTERVAL_BYTES_CONFIG, (l, v) -> l.withIndexIntervalBytes(toInt(v)));
    addLog(all, TopicConfig.RETENTION_MS_CONFIG, (l, v) -> l.withRetentionMs(toLong(v)));
    addLog(all, TopicConfig.RETENTION_BYTES_CONFIG, (l, v) -> l.withRetentionBytes(toLong(v)));
    addLog(
        all,
        TopicConfig.CLEANUP_POLICY_CONFIG,
        (l, v) -> l.withDelete(contains(v, "delete")).withCompact(contains(v, "compact")));
    addLog(
        all,
        TopicConfig.MIN_CLEANABLE_DIRTY_RATIO_CONFIG,
        (l, v) -> l.withMinCleanableDirtyRatio(Double.parseDouble(v)));
    addLog(
        all,
        TopicConfig.MIN_COMPACTION_LAG_MS_CONFIG,
        (l, v) -> l.withMinCompactionLagMs(toLong(v)));
    addLog(
        all,
        TopicConfig.MAX_COMPACTION_LAG_MS_CONFIG,
        (l, v) -> l.withMaxCompactionLagMs(toLong(v)));
    addLog(
        all, TopicConfig.DELETE_RETENTION_MS_CONFIG, (l, v) -> l.withDeleteRetentionMs(toLong(v)));
    addLog(all, TopicConfig.MAX_MESSAGE_BYTES_CONFIG, (l, v) -> l.withMaxMessageBytes(toInt(v)));
    addLog(
        all,
        TopicConfig.MESSAGE_TIMESTAMP_TYPE_CONFIG,
        (l, v) -> l.withLogAppendTime(v.equals("LogAppendTime")));
    addLog(
        all,
        TopicConfig.MESSAGE_TIMESTAMP_BEFORE_MAX_MS_CONFIG,
        (l, v) -> l.withTimestampBeforeMaxMs(toLong(v)));
    addLog(
        all,
        TopicConfig.MESSAGE_TIMESTAMP_AFTER_MAX_MS_CONFIG,
        (l, v) -> l.withTimestampAfterMaxMs(toLong(v)));
    addLog(all, TopicConfig.COMPRESSION_TYPE_CONFIG, LogSettings::withCompressionType);
    addLog(all, TopicConfig.COMPRESSION_GZIP_LEVEL_CONFIG, (l, v) -> l.withGzipLevel(toInt(v)));
    addLog(all, TopicConfig.COMPRESSION_LZ4_LEVEL_CONFIG, (l, v) -> l.withLz4Level(toInt(v)));
    addLog(all, TopicConfig.COMPRESSION_ZSTD_LEVEL_CONFIG, (l, v) -> l.withZstdLevel(toInt(v)));
    addLog(
        all, TopicConfig.FLUSH_MESSAGES_INTERVAL_CONFIG, (l, v) -> l.withFlushMessages(toLong(v)));
    addLog(all, TopicConfig.FLUSH_MS_CONFIG, (l, v) -> l.withFlushMs(toLong(v)));
    addLog(
        all, TopicConfig.FILE_DELETE_DELAY_MS_CONFIG, (l, v) -> l.withFileDeleteDelayMs(toLong(v)));
    return Map.copyOf(all);
  }

  private static void addLog(
      Map<String, BiFunction<TopicSettings, String, TopicSettings>> all,
      String key,
      BiFunction<LogSettings, String, LogSettings> setter) {
    all.put(key, (settings, value) -> settings.withLog(setter.apply(settings.log, value)));
  }

  private static int toInt(String text) {
    return Integer.parseInt(text);
  }

  private static long toLong(String text) {
    return Long.parseLong(text);
  }

  private static boolean contains(String list, String element) {
    for (String part : list.split(",", -1)) {
      if (part.trim().equals(element)) {
        return true;
      }
    }
    return false;
  }
}
