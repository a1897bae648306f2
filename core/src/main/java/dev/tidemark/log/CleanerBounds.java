package dev.tidemark.log;

/**
 * What compacting a log may use.
 *
 * @param dedupeBufferBytes memory for keys, log.cleaner.dedupe.buffer.size
 * @param loadFactor how full it may get, log.cleaner.io.buffer.load.factor
 * @param ioBufferBytes what is read at once, log.cleaner.io.buffer.size; more for a larger batch
 */
public record CleanerBounds(long dedupeBufferBytes, double loadFactor, int ioBufferBytes) {}
