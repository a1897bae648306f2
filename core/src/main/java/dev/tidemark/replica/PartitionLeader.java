package dev.tidemark.replica;

import dev.tidemark.env.Background;
import dev.tidemark.env.Directory;
import dev.tidemark.env.Timers;
import dev.tidemark.log.AppendOrigin;
import dev.tidemark.log.AppendResult;
import dev.tidemark.log.ClientBatch;
import dev.tidemark.log.FlushTask;
import dev.tidemark.log.LogSettings;
import dev.tidemark.log.PartitionLog;
import dev.tidemark.log.RefusedAppend;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.protocol.Errors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The leader of a partition: appends what clients send, knows how far it is committed, and tells
 * those who wait for that. Owned by one shard.
 *
 * <p>With a single replica the high watermark is the end of what this replica holds for good: the
 * log end offset, or on a topic that syncs before it acknowledges ({@code flush.messages=1}) the
 * synced end. Syncs are shared: while one runs, what is appended waits for the next (group commit).
 */
public final class PartitionLeader implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(PartitionLeader.class);

  /** The background queue of syncs: what is queued behind them finds all their ends told. */
  public static final String SYNCS = "flush";

  private final PartitionLog log;
  private final Background background;
  private final Timers timers;
  private final Acknowledgements waitingForCommit = new Acknowledgements();
  private final Acknowledgements waitingForSync = new Acknowledgements();
  private ArrayList<HighWatermarkListener> listeners = new ArrayList<>(0);
  private @Nullable Traffic traffic;
  private int leaderEpoch;
  private long highWatermark;
  private boolean flushing;
  private Timers.@Nullable Timer flushTimer;
  private boolean stopped;

  public PartitionLeader(PartitionLog log, int leaderEpoch, Background background, Timers timers) {
    this.log = log;
    this.background = background;
    this.timers = timers;
    this.leaderEpoch = leaderEpoch;
    log.assignEpochStart(leaderEpoch);
    // With one replica all that survived the start is committed, once it is as safe as the topic
    // asks: what a process before wrote and did not sync may still go with the power.
    this.highWatermark = Math.max(log.logStartOffset(), heldEndOffset());
    if (highWatermark < log.logEndOffset()) {
      startFlush();
    }
  }

  public PartitionLog log() {
    return log;
  }

  /** Where what is written and read here is counted from now on. */
  public void countIn(Traffic topicTraffic) {
    traffic = topicTraffic;
  }

  /** A client's Fetch request was answered for this partition. */
  public void fetched(boolean ok, long bytes) {
    if (traffic != null) {
      traffic.fetched(ok, bytes);
    }
  }

  /** A client's Produce request was accepted or refused for this partition. */
  public void produced(boolean ok) {
    if (traffic != null) {
      traffic.produced(ok);
    }
  }

  public int leaderEpoch() {
    return leaderEpoch;
  }

  /** Exclusive. */
  public long highWatermark() {
    return highWatermark;
  }

  /** The first offset that a read_committed reader may not see yet; exclusive. */
  public long lastStableOffset() {
    return log.lastStableOffset(highWatermark);
  }

  /** True once the partition is deleted or the broker stops: nothing more is appended or read. */
  public boolean isStopped() {
    return stopped;
  }

  /** Takes over a new epoch of this leadership. */
  public void transitionToLeader(int newLeaderEpoch) {
    if (newLeaderEpoch > leaderEpoch) {
      leaderEpoch = newLeaderEpoch;
      log.assignEpochStart(newLeaderEpoch);
    }
  }

  /**
   * Appends what stands in {@code records}; offsets and leader epoch are set in place.
   *
   * @throws RefusedAppend if the records are not valid; nothing was written
   * @throws IOException if the write failed; the log takes no more until it is opened again
   */
  public AppendResult append(ByteBuffer records, AppendOrigin origin)
      throws RefusedAppend, IOException {
    return appended(log.append(records, leaderEpoch, origin), records.remaining());
  }

  /**
   * Appends a client's batch that was checked, as {@link #append(ByteBuffer, AppendOrigin)} does.
   */
  public AppendResult append(ClientBatch checked) throws RefusedAppend, IOException {
    return appended(log.append(checked, leaderEpoch), checked.sizeInBytes());
  }

  private AppendResult appended(AppendResult result, int bytes) {
    if (traffic != null && !result.duplicate()) {
      traffic.appended(result.lastOffset() - result.baseOffset() + 1, bytes);
    }
    syncIfDue();
    onHeldEndMoved();
    return result;
  }

  private void syncIfDue() {
    if (log.needsFlush()) {
      startFlush();
    } else if (flushTimer == null && log.settings().flushMs() < Long.MAX_VALUE) {
      flushTimer = timers.schedule(log.settings().flushMs(), this::onFlushTimer);
    }
  }

  /**
   * The topic has other settings: they hold for who waits as well. What nobody waits for is synced
   * by the next append or by periodic work, for many partitions may change at once.
   */
  public void updateSettings(LogSettings settings) {
    log.updateSettings(settings);
    if (flushTimer != null) {
      flushTimer.cancel();
      flushTimer = null;
    }
    if (!stopped) {
      if (!waitingForSync.isEmpty() || !waitingForCommit.isEmpty()) {
        syncIfDue();
      }
      onHeldEndMoved();
    }
  }

  /** The end of what this replica holds as safely as the topic asks; exclusive. */
  public long heldEndOffset() {
    return syncsBeforeAcknowledging() ? log.syncedEndOffset() : log.logEndOffset();
  }

  /** The end of what is committed and held; exclusive. */
  public long committedEndOffset() {
    return Math.min(highWatermark, heldEndOffset());
  }

  /**
   * Calls back, maybe at once, when what lies below {@code endOffsetExclusive} is committed and
   * held: what acks=all promises.
   */
  public void whenCommitted(long endOffsetExclusive, WaitingAcknowledgement acknowledgement) {
    await(waitingForCommit, committedEndOffset(), endOffsetExclusive, acknowledgement);
  }

  /**
   * Calls back when this replica holds what lies below {@code endOffsetExclusive}: at once, or
   * after a sync where the topic asks for it. What acks=1 promises.
   */
  public void whenHeld(long endOffsetExclusive, WaitingAcknowledgement acknowledgement) {
    await(waitingForSync, heldEndOffset(), endOffsetExclusive, acknowledgement);
  }

  private void await(
      Acknowledgements queue,
      long reached,
      long endOffsetExclusive,
      WaitingAcknowledgement acknowledgement) {
    if (reached >= endOffsetExclusive) {
      acknowledgement.onAcknowledged(Errors.NONE);
    } else if (stopped) {
      acknowledgement.onAcknowledged(Errors.NOT_LEADER_OR_FOLLOWER);
    } else if (log.failure() != null) {
      acknowledgement.onAcknowledged(Errors.KAFKA_STORAGE_ERROR); // no sync will come
    } else {
      queue.add(endOffsetExclusive, acknowledgement);
    }
  }

  /** Tells {@code listener} of every move of the high watermark until it returns false. */
  public void addListener(HighWatermarkListener listener) {
    listeners.add(listener);
  }

  public void removeListener(HighWatermarkListener listener) {
    listeners.remove(listener);
  }

  private void onFlushTimer() {
    flushTimer = null;
    startFlush();
  }

  /** Deletes, a while from now, the files of segments that retention or rolling made useless. */
  public void deleteRemovedFiles() {
    List<String> names = log.takeFilesToDelete();
    if (!names.isEmpty()) {
      Directory folder = log.folder();
      timers.schedule(
          log.settings().fileDeleteDelayMs(),
          () -> background.run("delete", () -> deleteAll(folder, names), this::onDeleted));
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

  /** Starts a sync of what is written, unless one runs. */
  public void startFlush() {
    if (flushing || stopped) {
      return;
    }
    if (log.failure() != null) {
      // A sync after one that failed succeeds though the pages are lost: it would prove nothing.
      onFlushFailed();
      return;
    }
    FlushTask task;
    try {
      task = log.flush();
    } catch (IOException e) {
      onFlushFailed();
      return;
    }
    if (task.isEmpty()) {
      onHeldEndMoved();
    } else {
      flushing = true;
      background.run(SYNCS, task, (done, failure) -> onFlushed(task, done, failure));
    }
  }

  private void onFlushed(FlushTask task, @Nullable Boolean done, @Nullable Throwable failure) {
    flushing = false;
    task.onDone(done, failure); // also of a log that was closed meanwhile: it lets go of files
    if (stopped) {
      return;
    }
    if (failure != null) {
      onFlushFailed();
    } else {
      onHeldEndMoved();
      if (heldEndOffset() < log.logEndOffset()) {
        startFlush();
      }
    }
  }

  private void onFlushFailed() {
    failWaiting(Errors.KAFKA_STORAGE_ERROR);
  }

  private void failWaiting(Errors error) {
    waitingForSync.failAll(error);
    waitingForCommit.failAll(error);
  }

  private boolean syncsBeforeAcknowledging() {
    return log.settings().syncBeforeAck();
  }

  /** More may be held now: by an append, by a sync, or because the topic asks for less. */
  private void onHeldEndMoved() {
    long end = heldEndOffset();
    waitingForSync.reached(end);
    boolean moved = end > highWatermark;
    if (moved) {
      highWatermark = end;
    }
    waitingForCommit.reached(Math.min(highWatermark, end));
    if (moved) {
      tellListeners();
    }
  }

  private void tellListeners() {
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

  /** Ends the role: who waits is told, listeners a last time. The log stays open. */
  public void stop() {
    if (stopped) {
      return;
    }
    stopped = true;
    failWaiting(Errors.NOT_LEADER_OR_FOLLOWER);
    tellListeners();
  }

  /** Stops and closes the log without syncing it. */
  @Override
  public void close() throws IOException {
    stop();
    log.close(false);
  }
}
