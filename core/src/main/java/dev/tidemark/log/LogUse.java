package dev.tidemark.log;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * When a log was used, whether it has files open, and when something falls due in it: what {@link
 * ActiveLogs} goes by. Whatever may open a file tells this, else nobody would close it. Owned by
 * the log's shard.
 */
final class LogUse {
  private static final Logger LOG = LoggerFactory.getLogger(LogUse.class);

  private final PartitionLog log;
  private final LogState state;
  private final Retention retention;
  private @Nullable ActiveLogs logs;
  private ActiveLogs.@Nullable Due due;
  private boolean active;
  private boolean open;
  private boolean lately;

  LogUse(PartitionLog log, LogState state, Retention retention) {
    this.log = log;
    this.state = state;
    this.retention = retention;
  }

  /** Tells {@code all} of each use from now on, which closes the log's files when it idles. */
  void track(@Nullable ActiveLogs all) {
    logs = all;
    noteFiles();
  }

  ActiveLogs.@Nullable Due due() {
    return due;
  }

  void setDue(ActiveLogs.@Nullable Due next) {
    due = next;
  }

  /** Makes the log an active one; false when it was. */
  boolean activate() {
    boolean was = active;
    active = true;
    return !was;
  }

  /** Somebody uses the log, and may open files of it. */
  void touch() {
    lately = true;
    if (!open && logs != null) {
      open = true;
      logs.onUsed(log, activate());
    }
  }

  /** Something was done for which files may have been opened, though nobody uses the log. */
  void noteFiles() {
    if (!open && logs != null && state.hasOpenFiles()) {
      open = true;
      logs.onUsed(log, activate());
    }
  }

  /** True once after it was used. */
  boolean takeLately() {
    boolean was = lately;
    lately = false;
    return was;
  }

  /** Closes files that nothing used since the last call; they open again when needed. */
  void releaseIdleFiles() throws IOException {
    for (int i = 0; i < state.segments.count(); i++) {
      state.segments.get(i).closeIfIdle();
    }
    if (!state.hasOpenFiles()) {
      state.forgetPositions();
      log.forgetAppender();
    }
  }

  /**
   * Closes what idles, or all files; returns true when none is open then. What cannot be written is
   * as bad as a failed append.
   */
  boolean closeFiles(boolean all) {
    try {
      releaseIdleFiles();
      if (all) {
        releaseIdleFiles();
      }
    } catch (IOException e) {
      LOG.warn(
          "{} takes no appends any more: {}",
          log.id(),
          log.failed("closing idle files", e).getMessage());
    }
    open = state.hasOpenFiles();
    return !open;
  }

  /** Leaves the active logs if nothing is left to be done for it. */
  boolean leaveIfResting() {
    noteFiles();
    boolean busy =
        open
            || state.changed
            || log.isFlushing()
            || log.needsFlush()
            || !state.filesToDelete.isEmpty();
    active = busy;
    return !busy;
  }

  /**
   * When periodic work will next have something to do here, wall clock; {@code MAX} if never,
   * {@code MIN} also when that takes a look at files and {@code maySeek} is false. No file is open
   * afterwards that was not before.
   */
  long nextDueMs(boolean maySeek) throws IOException {
    if (log.isClosedOrFailed()) {
      return Long.MAX_VALUE;
    }
    boolean wasOpen = state.hasOpenFiles();
    try {
      return Math.min(
          retention.dueMs(maySeek),
          state.producers.firstExpiryMs(state.settings.producerIdExpirationMs()));
    } finally {
      if (!wasOpen && state.hasOpenFiles()) {
        closeFiles(true);
      }
    }
  }
}
