package dev.tidemark.log;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The file of producer state at an offset, Kafka's format 1: version, CRC-32C of all that follows,
 * the number of producers, and 46 bytes for each.
 */
final class ProducerSnapshot {
  private static final short VERSION = 1;
  private static final int CRC_AT = 2;
  private static final int CHECKED_FROM = 6;
  private static final int HEADER_BYTES = 10;
  private static final int ENTRY_BYTES = 46;

  private ProducerSnapshot() {}

  static byte[] toFile(ProducerState state) {
    List<ProducerWindow> windows = state.sorted();
    ByteBuffer file = ByteBuffer.allocate(HEADER_BYTES + windows.size() * ENTRY_BYTES);
    file.putShort(VERSION).putInt(0).putInt(windows.size());
    for (ProducerWindow window : windows) {
      ProducerWindow.Batch last = window.lastBatch();
      file.putLong(window.producerId())
          .putShort(window.epoch())
          .putInt(window.lastSequence())
          .putLong(last == null ? -1 : last.lastOffset())
          .putInt(last == null ? 0 : last.offsetDelta())
          .putLong(window.lastTimestampMs())
          .putInt(window.coordinatorEpoch())
          .putLong(window.txnFirstOffset());
    }
    file.putInt(CRC_AT, crc(file.array()));
    return file.array();
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
    for (int i = 0; i < count; i++) {
      windows.add(entry(file));
    }
    return windows;
  }

  private static ProducerWindow entry(ByteBuffer file) {
    ProducerWindow window = new ProducerWindow(file.getLong());
    short epoch = file.getShort();
    int lastSequence = file.getInt();
    long lastOffset = file.getLong();
    int offsetDelta = file.getInt();
    long timestampMs = file.getLong();
    ProducerWindow.Batch last =
        lastOffset < 0
            ? null
            : new ProducerWindow.Batch(lastSequence, lastOffset, offsetDelta, timestampMs);
    window.restore(epoch, last, timestampMs, file.getInt(), file.getLong());
    return window;
  }
}
