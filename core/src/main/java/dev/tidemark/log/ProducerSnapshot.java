package dev.tidemark.log;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The file of producer state at an offset, Kafka's format 1: version, CRC-32C of all that follows,
 * the number of entries, and 46 bytes for each. A producer has an entry for each batch of its
 * window, the last one last: Kafka, which knows one for each producer, takes the last one that it
 * reads, and a producer with several batches under way can repeat them all after a restart.
 */
final class ProducerSnapshot {
  private static final short VERSION = 1;
  private static final int CRC_AT = 2;
  private static final int CHECKED_FROM = 6;
  private static final int HEADER_BYTES = 10;
  private static final int ENTRY_BYTES = 46;

  private static final ProducerWindow.Batch NO_BATCH =
      new ProducerWindow.Batch(ProducerWindow.NO_SEQUENCE, -1, 0, -1);

  private ProducerSnapshot() {}

  static byte[] toFile(ProducerState state) {
    List<ProducerWindow> windows = state.sorted();
    int entries = 0;
    for (ProducerWindow window : windows) {
      entries += Math.max(1, window.batchCount());
    }
    ByteBuffer file = ByteBuffer.allocate(HEADER_BYTES + entries * ENTRY_BYTES);
    file.putShort(VERSION).putInt(0).putInt(entries);
    for (ProducerWindow window : windows) {
      if (window.batchCount() == 0) {
        putEntry(file, window, NO_BATCH, window.lastTimestampMs());
      }
      for (int i = 0; i < window.batchCount(); i++) {
        ProducerWindow.Batch batch = window.batch(i);
        boolean isLast = i == window.batchCount() - 1;
        putEntry(file, window, batch, isLast ? window.lastTimestampMs() : batch.timestampMs());
      }
    }
    file.putInt(CRC_AT, crc(file.array()));
    return file.array();
  }

  private static void putEntry(
      ByteBuffer file, ProducerWindow window, ProducerWindow.Batch batch, long timestampMs) {
    file.putLong(window.producerId())
        .putShort(window.epoch())
        .putInt(batch.lastSequence())
        .putLong(batch.lastOffset())
        .putInt(batch.offsetDelta())
        .putLong(timestampMs)
        .putInt(window.coordinatorEpoch())
        .putLong(window.txnFirstOffset());
  }

  private static int crc(byte[] file) {
    CRC32C crc = new CRC32C();
    crc.update(file, CHECKED_FROM, file.length - CHECKED_FROM);
    return (int) crc.getValue();
  }

  /** The producers in a file, or null when it is torn or of another format. */
  static @Nullable List<ProducerWindow> parse(byte[] bytes) {
    if (bytes.length < HEADER_BYTES) {
      return null;
    }
    ByteBuffer file = ByteBuffer.wrap(bytes);
    short version = file.getShort();
    int crc = file.getInt();
    int count = file.getInt();
    if (version != VERSION
        || crc != crc(bytes)
        || count != (bytes.length - HEADER_BYTES) / ENTRY_BYTES) {
      return null;
    }
    List<ProducerWindow> windows = new ArrayList<>(count);
    ProducerWindow last = null;
    for (int i = 0; i < count; i++) {
      long producerId = file.getLong();
      if (last == null || last.producerId() != producerId) {
        last = new ProducerWindow(producerId);
        windows.add(last);
      }
      restore(last, file);
    }
    return windows;
  }

  private static void restore(ProducerWindow window, ByteBuffer file) {
    short epoch = file.getShort();
    int lastSequence = file.getInt();
    long lastOffset = file.getLong();
    int offsetDelta = file.getInt();
    long timestampMs = file.getLong();
    ProducerWindow.Batch batch =
        lastOffset < 0
            ? null
            : new ProducerWindow.Batch(lastSequence, lastOffset, offsetDelta, timestampMs);
    window.restore(epoch, batch, timestampMs, file.getInt(), file.getLong());
  }
}
