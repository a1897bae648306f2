package dev.tidemark.sim;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The content of a virtual file: what the process sees, what the disk holds for good, and the
 * changes that lead from the latter to the former. A power loss goes back to what the disk holds
 * and then lets some of the changes, or some pages of them, have happened after all.
 */
final class Inode {
  private Image seen = new Image();
  private final Image durable = new Image();
  private final List<Change> unsynced = new ArrayList<>();

  int size() {
    return seen.size;
  }

  void write(ByteBuffer source, int position) {
    byte[] data = new byte[source.remaining()];
    source.get(data);
    Change change = new Change(false, position, data);
    unsynced.add(change);
    change.applyTo(seen);
  }

  int read(ByteBuffer target, long position) {
    int length = (int) Math.max(0, Math.min(target.remaining(), seen.size - position));
    if (length > 0) {
      target.put(seen.bytes, (int) position, length);
    }
    return length;
  }

  void truncate(int newSize) {
    if (newSize < seen.size) {
      Change change = new Change(true, newSize, new byte[0]);
      unsynced.add(change);
      change.applyTo(seen);
    }
  }

  void sync() {
    unsynced.forEach(change -> change.applyTo(durable));
    unsynced.clear();
  }

  /** As kernels do it: what could not be written counts as written from now on. */
  void syncFailed() {
    unsynced.clear();
  }

  boolean isSynced() {
    return unsynced.isEmpty();
  }

  byte[] content() {
    return Arrays.copyOf(seen.bytes, seen.size);
  }

  /** Flips bits at a place, as a disk does that rots. */
  void rot(int position) {
    seen.bytes[position] ^= 0x55;
    if (position < durable.size) {
      durable.bytes[position] ^= 0x55;
    }
  }

  void losePower(PowerLoss loss) {
    for (Change change : unsynced) {
      if (!change.truncate) {
        redo(change, loss);
      } else if (loss.keepsTruncate()) {
        change.applyTo(durable);
      }
    }
    unsynced.clear();
    seen = durable.copy();
  }

  private void redo(Change change, PowerLoss loss) {
    int from = 0;
    while (from < change.data.length) {
      int position = change.position + from;
      int toPageEnd = loss.pageBytes() - position % loss.pageBytes();
      int length = Math.min(toPageEnd, change.data.length - from);
      if (loss.keepsPage()) {
        durable.put(position, change.data, from, length);
      }
      from += length;
    }
  }

  /** Bytes that grow and shrink; what was never written between two writes is zero. */
  private static final class Image {
    private byte[] bytes = new byte[64];
    private int size;

    void put(int position, byte[] data, int from, int length) {
      resize(Math.max(size, position + length));
      System.arraycopy(data, from, bytes, position, length);
    }

    void resize(int newSize) {
      if (newSize > bytes.length) {
        bytes = Arrays.copyOf(bytes, Math.max(newSize, bytes.length * 2));
      }
      if (newSize < size) {
        Arrays.fill(bytes, newSize, size, (byte) 0);
      }
      size = newSize;
    }

    Image copy() {
      Image copy = new Image();
      copy.bytes = bytes.clone();
      copy.size = size;
      return copy;
    }
  }

  /** A write, or a truncation to its position. */
  private static final class Change {
    private final boolean truncate;
    private final int position;
    private final byte[] data;

    Change(boolean truncate, int position, byte[] data) {
      this.truncate = truncate;
      this.position = position;
      this.data = data;
    }

    void applyTo(Image image) {
      if (truncate) {
        image.resize(Math.min(image.size, position));
      } else {
        image.put(position, data, 0, data.length);
      }
    }
  }
}
