package dev.tidemark.replica;

import dev.tidemark.env.Directory;
import dev.tidemark.env.Timers;
import dev.tidemark.log.FlushTask;
import dev.tidemark.log.LogSettings;
import dev.tidemark.log.PartitionLog;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.protocol.Errors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A replica of a partition on this broker: what leader and follower have in common. A role lasts
 * from its construction to {@link #stop()}; the next one takes over the log. Owned by one shard.
 *
 * <p>On a topic that syncs before it acknowledges ({@code flush.messages=1}) only what is synced
 * counts, here and in what a follower tells its leader. Syncs are shared: while one runs, what is
 * appended waits for the next (group commit).
 */
public abstract sealed class PartitionReplica implements AutoCloseable
    permits PartitionLeader, PartitionFollower {
  private static final Logger LOG = LoggerFactory.getLogger(PartitionReplica.class);

  /** The background queue of syncs: what is queued behind them finds all their ends told. */
  public static final String SYNCS = "flush";

  private final PartitionLog log;
  private final ReplicaContext context;
  private ArrayList<HighWatermarkListener> listeners = new ArrayList<>(0);
  private @Nullable Traffic traffic;
  private int leaderEpoch;
  private long highWatermark;
  private boolean flushing;
  private Timers.@Nullable Timer flushTimer;
  private boolean stopped;

  PartitionReplica(
      PartitionLog log, int leaderEpoch, long knownHighWatermark, ReplicaContext context) {
    this.log = log;
    this.context = context;
    this.leaderEpoch = leaderEpoch;
    this.highWatermark = withinLog(knownHighWatermark);
  }

  public final PartitionLog log() {
    return log;
  }

  final ReplicaContext context() {
    return context;
  }

  /** The newest epoch this replica has heard of. */
  public final int leaderEpoch() {
    return leaderEpoch;
  }

  final void setLeaderEpoch(int newer) {
    leaderEpoch = newer;
  }

  /** Where what is written and read here is counted from now on. */
  public final void countIn(Traffic topicTraffic) {
    traffic = topicTraffic;
  }

  /** A client's Fetch request was answered for this partition. */
  public final void fetched(boolean ok, long bytes) {
    if (traffic != null) {
      traffic.fetched(ok, bytes);
    }
  }

  /** A client's Produce request was accepted or refused for this partition. */
  public final void produced(boolean ok) {
    if (traffic != null) {
      traffic.produced(ok);
    }
  }

  final void countAppended(long messages, long bytes) {
    if (traffic != null) {
      traffic.appended(messages, bytes);
    }
  }

  // --- reading ---

  /** Exclusive: nobody reads beyond it. */
  public final long highWatermark() {
    return highWatermark;
  }

  /** The first offset that a read_committed reader may not see yet; exclusive. */
  public final long lastStableOffset() {
    return log.lastStableOffset(highWatermark);
  }

  /**
   * Whether a request stamped with {@code known} may be served (KIP-320): -1 is not stamped, 0 is
   * an epoch like others.
   */
  public final Errors checkEpoch(int known) {
    if (stopped) {
      return Errors.NOT_LEADER_OR_FOLLOWER;
    }
    if (known < 0 || known == leaderEpoch) {
      return Errors.NONE;
    }
    return known < leaderEpoch ? Errors.FENCED_LEADER_EPOCH : Errors.UNKNOWN_LEADER_EPOCH;
  }

  /**
   * Whether a consumer may ask for {@code offset} here. From the high watermark to the log end
   * offset there is nothing to read yet, which is no error.
   */
  public final Errors checkConsumerOffset(long offset) {
    if (offset < log.logStartOffset()) {
      return Errors.OFFSET_OUT_OF_RANGE;
    }
    return offset <= log.logEndOffset() ? Errors.NONE : beyondEnd();
  }

  /** What a consumer hears that asks beyond the end of this log. */
  abstract Errors beyondEnd();

  /** Tells {@code listener} of every move of the high watermark until it returns false. */
  public final void addListener(HighWatermarkListener listener) {
    listeners.add(listener);
  }

  public final void removeListener(HighWatermarkListener listener) {
    listeners.remove(listener);
  }

  final void tellListeners() {
    if (listeners.isEmpty()) {
      return;
    }
    // A listener may add or remove listeners while it is told.
    ArrayList<HighWatermarkListener> told = listeners;
    listeners = new ArrayList<>(told.size());
    for (HighWatermarkListener listener : told) {
      if (listener.onHighWatermark(this)) {
        listeners.add(listener);
      }
    }
  }

  final void setHighWatermark(long offset) {
    highWatermark = offset;
  }

  /** The offset, or the bound of the log that it is outside of. */
  final long withinLog(long offset) {
    return Math.max(log.logStartOffset(), Math.min(offset, log.logEndOffset()));
  }

  // --- syncing ---

  final boolean syncsBeforeAcknowledging() {
    return log.settings().syncBeforeAck();
  }

  /** The end of what this replica holds for good; exclusive. */
  public final long heldEndOffset() {
    return heldEndOffset(log);
  }

  static long heldEndOffset(PartitionLog log) {
    return log.settings().syncBeforeAck() ? log.syncedEndOffset() : log.logEndOffset();
  }

  /** The topic has other settings, which hold at once, also for what waits. */
  public final void updateSettings(LogSettings settings) {
    log.updateSettings(settings);
    if (flushTimer != null) {
      flushTimer.cancel();
      flushTimer = null;
    }
    if (!stopped) {
      onSettings();
    }
  }

  /** The log has other settings. */
  abstract void onSettings();

  /** After an append: syncs now or in time, if the settings ask for it. */
  final void syncIfDue() {
    if (log.needsFlush()) {
      startFlush();
    } else if (flushTimer == null && log.settings().flushMs() < Long.MAX_VALUE) {
      flushTimer = context.timers().schedule(log.settings().flushMs(), this::onFlushTimer);
    }
  }

  private void onFlushTimer() {
    flushTimer = null;
    startFlush();
  }

  /** Starts a sync of what is written, unless one runs. */
  public final void startFlush() {
    if (flushing || stopped) {
      return;
    }
    if (log.failure() != null) {
      // A sync after one that failed succeeds though the pages are lost: it would prove nothing.
      onSyncFailed();
      return;
    }
    FlushTask task;
    try {
      task = log.flush();
    } catch (IOException e) {
      onSyncFailed();
      return;
    }
    // A sync of the role before may hold all there is: then the end of an empty one, which comes
    // after it, tells that all is synced.
    if (!task.isEmpty() || log.isFlushing()) {
      flushing = true;
      context.background().run(SYNCS, task, (done, failure) -> onFlushed(task, done, failure));
    } else {
      onSynced();
    }
  }

  private void onFlushed(FlushTask task, @Nullable Boolean done, @Nullable Throwable failure) {
    flushing = false;
    task.onDone(done, failure); // also of a log that was closed meanwhile: it lets go of files
    if (stopped) {
      return;
    }
    if (failure != null) {
      onSyncFailed();
    } else {
      onSynced();
      if (heldEndOffset() < log.logEndOffset()) {
        startFlush();
      }
    }
  }

  /** The synced end has moved. */
  abstract void onSynced();

  /** The log takes no more appends. */
  abstract void onSyncFailed();

  // --- files and the end of the role ---

  /** Deletes, a while from now, the files of segments that retention or rolling made useless. */
  public final void deleteRemovedFiles() {
    List<String> names = log.takeFilesToDelete();
    if (!names.isEmpty()) {
      Directory folder = log.folder();
      context
          .timers()
          .schedule(
              log.settings().fileDeleteDelayMs(),
              () ->
                  context
                      .background()
                      .run("delete", () -> deleteAll(folder, names), this::onDeleted));
    }
  }

  private static List<String> deleteAll(Directory folder, List<String> names) throws IOException {
    for (String name : names) {
      folder.delete(name);
    }
    return names;
  }

  private void onDeleted(@Nullable List<String> names, @Nullable Throwable failure) {
    if (failure != null && !stopped) {
      LOG.error(
          "Removed files of {} cannot be deleted; they go at the next start", log.id(), failure);
    }
  }

  /** True once the role has ended: nothing more is appended or read here. */
  public final boolean isStopped() {
    return stopped;
  }

  /** Ends the role: who waits is told, listeners a last time. The log stays open. */
  public final void stop() {
    if (!stopped) {
      stopped = true;
      onStopped();
      tellListeners();
    }
  }

  /** The role has ended. */
  abstract void onStopped();

  /** Stops and closes the log without syncing it. */
  @Override
  public final void close() throws IOException {
    stop();
    log.close(false);
  }
}
