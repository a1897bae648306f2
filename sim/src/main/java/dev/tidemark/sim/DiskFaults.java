package dev.tidemark.sim;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** What a virtual disk is to do wrong. All counts are of changes: reads never count. */
public final class DiskFaults {
  /** The kinds of changes to a disk. */
  public enum Change {
    WRITE,
    TRUNCATE,
    SYNC,
    CREATE,
    RENAME,
    DELETE,
    SYNC_FOLDER
  }

  /** The machine lost power in the middle of a change. Nothing may catch it but the test. */
  public static final class PowerWentOff extends Error {
    private static final long serialVersionUID = 1L;

    PowerWentOff(String message) {
      super(message, null, false, false);
    }
  }

  /**
   * The disk does not answer: on a real one the call would not come back. Only whoever runs works
   * in the background for a test may catch it, and run them again when the disk answers.
   */
  public static final class Hangs extends Error {
    private static final long serialVersionUID = 1L;

    Hangs(String message) {
      super(message, null, false, false);
    }
  }

  private long changes;
  private long syncs;
  private long powerOffAt = -1;
  private long failAt = -1;
  private Change failing = Change.WRITE;
  private long failAfter = -1;
  private long capacityBytes = Long.MAX_VALUE;
  private boolean failedSyncsDrop;
  private @Nullable String failingPrefix;
  private @Nullable String hangingPrefix;

  /** How many changes there were. */
  public long changes() {
    return changes;
  }

  /** How many of them were syncs, of files and folders. */
  public long syncs() {
    return syncs;
  }

  /** Power goes off before the change with this number, counted from 0; -1 for never. */
  public void powerOffAt(long change) {
    powerOffAt = change;
  }

  /** The change with this number fails, counted from 0; -1 for none. */
  public void failAt(long change) {
    failAt = change;
  }

  /** The change of this kind fails that comes after {@code after} others of it; once. */
  public void failNext(Change kind, long after) {
    failing = kind;
    failAfter = after;
  }

  /**
   * All that lies in folders whose path begins so fails from now on, reads included; null for none.
   */
  public void failUnder(@Nullable String prefix) {
    failingPrefix = prefix;
  }

  /**
   * Syncs of what lies in folders whose path begins so, and questions for room there, do not come
   * back from now on; null for none.
   */
  public void hangUnder(@Nullable String prefix) {
    hangingPrefix = prefix;
  }

  /** Called before whatever waits for the disk. */
  void await(String path) {
    if (hangingPrefix != null && path.startsWith(hangingPrefix)) {
      throw new Hangs(path + " hangs");
    }
  }

  /** Called before each use of a file or folder. */
  void use(String path) throws IOException {
    if (failingPrefix != null && path.startsWith(failingPrefix)) {
      throw new IOException(path + ": input/output error (the disk is gone)");
    }
  }

  /** The disk is full when its files hold that many bytes. */
  public void capacityBytes(long bytes) {
    capacityBytes = bytes;
  }

  long capacityBytes() {
    return capacityBytes;
  }

  /**
   * Whether a failed sync drops what it was to write: the process sees it still, later syncs
   * succeed without it, and a power loss takes it. Off at first.
   */
  public void failedSyncsDrop(boolean drop) {
    failedSyncsDrop = drop;
  }

  boolean failedSyncsDrop() {
    return failedSyncsDrop;
  }

  /** Called before each change; true when it is to fail after having been done in part. */
  boolean before(Change kind, String path) throws IOException {
    if (kind == Change.SYNC || kind == Change.SYNC_FOLDER) {
      await(path);
      syncs++;
    }
    if (changes++ == powerOffAt) {
      powerOffAt = -1;
      throw new PowerWentOff("Power went off before " + kind + " of " + path);
    }
    boolean fails = changes - 1 == failAt;
    if (kind == failing && failAfter >= 0) {
      fails |= failAfter-- == 0;
    }
    if (fails) {
      if (kind == Change.WRITE) {
        return true;
      }
      throw new IOException(path + ": " + kind + " failed (injected)");
    }
    return false;
  }
}
