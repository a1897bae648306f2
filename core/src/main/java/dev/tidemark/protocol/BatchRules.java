package dev.tidemark.protocol;

/**
 * What a topic asks of the batches that clients send.
 *
 * @param partition the partition's name, for messages
 * @param keysRequired true on a compacted topic
 * @param maxMessageBytes the largest batch
 * @param logAppendTime true when the broker's time replaces the producer's
 * @param timestampBeforeMaxMs how far a record's time may lie in the past
 * @param timestampAfterMaxMs how far it may lie in the future
 * @param compressionId the codec batches are stored with, -1 = as they come
 */
public record BatchRules(
    String partition,
    boolean keysRequired,
    int maxMessageBytes,
    boolean logAppendTime,
    long timestampBeforeMaxMs,
    long timestampAfterMaxMs,
    int compressionId,
    int gzipLevel,
    int lz4Level,
    int zstdLevel) {

  /** The {@code compressionId} for a value of compression.type. */
  public static int compressionIdOf(String compressionType) {
    return Codecs.idOf(compressionType);
  }
}
