package dev.tidemark.sim;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The content of a virtual file: what the process sees, and what it would take to get from the
 * synced content to it. A power loss undoes the unsynced changes and then lets some of them, or
 * some pages of them, have happened after all.
 */
final class Inode {
  private byte[] bytes = new byte[64];
  private int size;
  private final List<Change> unsynced = new ArrayList<>();

  int size() {
    return size;
  }

  void write(ByteBuffer source, int position) {
    byte[] data = new byte[source.remaining()];
    source.get(data);
    int overlap = Math.max(0, Math.min(size - position, data.length));
    byte[] lost =
        overlap == 0 ? new byte[0] : Arrays.copyOfRange(bytes, position, position + overlap);
    unsynced.add(new Change(false, position, data, size, lost));
    put(position, data, 0, data.length);
  }

  private void put(int position, byte[] data, int from, int length) {
    resize(Math.max(size, position + length));
    System.arraycopy(data, from, bytes, position, length);
  }

  private void resize(int newSize) {
    if (newSize > bytes.length) {
      bytes = Arrays.copyOf(bytes, Math.max(newSize, bytes.length * 2));
    }
    if (newSize < size) {
      Arrays.fill(bytes, newSize, size, (byte) 0);
    }
    size = newSize;
  }

  int read(ByteBuffer target, long position) {
    int length = (int) Math.max(0, Math.min(target.remaining(), size - position));
    if (length > 0) {
      target.put(bytes, (int) position, length);
    }
    return length;
  }

  void truncate(int newSize) {
    if (newSize < size) {
      unsynced.add(
          new Change(true, newSize, new byte[0], size, Arrays.copyOfRange(bytes, newSize, size)));
      resize(newSize);
    }
  }

  void sync() {
    unsynced.clear();
  }

  boolean isSynced() {
    return unsynced.isEmpty();
  }

  byte[] content() {
    return Arrays.copyOf(bytes, size);
  }

  /** Flips bits at a place, as a disk does that rots. */
  void rot(int position) {
    bytes[position] ^= 0x55;
  }

  void losePower(PowerLoss loss) {
    for (int i = unsynced.size() - 1; i >= 0; i--) {
      undo(unsynced.get(i));
    }
    for (Change change : unsynced) {
      if (change.truncate) {
        if (loss.keepsTruncate()) {
          resize(Math.min(size, change.position));
        }
      } else {
        redo(change, loss);
      }
    }
    unsynced.clear();
  }

  private void undo(Change change) {
    resize(change.sizeBefore);
    System.arraycopy(change.lost, 0, bytes, change.position, change.lost.length);
  }

  private void redo(Change change, PowerLoss loss) {
    int from = 0;
    while (from < change.data.length) {
      int position = change.position + from;
      int toPageEnd = loss.pageBytes() - position % loss.pageBytes();
      int length = Math.min(toPageEnd, change.data.length - from);
      if (loss.keepsPage()) {
        put(position, change.data, from, length);
      }
      from += length;
    }
  }

  /** An unsynced change with what undoes it. */
  private static final class Change {
    private final boolean truncate;
    private final int position;
    private final byte[] data;
    private final int sizeBefore;
    private final byte[] lost;

    Change(boolean truncate, int position, byte[] data, int sizeBefore, byte[] lost) {
      this.truncate = truncate;
      this.position = position;
      this.data = data;
      this.sizeBefore = sizeBefore;
      this.lost = lost;
    }
  }
}
