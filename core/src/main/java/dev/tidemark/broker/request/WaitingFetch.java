package dev.tidemark.broker.request;

import dev.tidemark.env.Timers;
import dev.tidemark.replica.HighWatermarkListener;
import dev.tidemark.replica.PartitionLeader;
import dev.tidemark.replica.PartitionReplica;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A fetch that waits for data (long poll). It counts the bytes that become readable on its
 * partitions and is answered when they are enough, or when its time is over.
 */
final class WaitingFetch implements HighWatermarkListener {
  private final List<PartitionLeader> partitions;
  private final boolean readCommitted;
  private final Runnable answer;
  private final long[] ends;
  private long missingBytes;
  private Timers.@Nullable Timer timer;
  private boolean done;

  /**
   * @param readCommitted true if records of open transactions do not count
   * @param missingBytes what has to be added before the fetch is answered, at least 1
   * @param answer called once
   */
  WaitingFetch(
      List<PartitionLeader> partitions, boolean readCommitted, long missingBytes, Runnable answer) {
    this.partitions = partitions;
    this.readCommitted = readCommitted;
    this.missingBytes = missingBytes;
    this.answer = answer;
    this.ends = new long[partitions.size()];
  }

  void start(Timers timers, long maxWaitMs) {
    for (int i = 0; i < partitions.size(); i++) {
      ends[i] = end(partitions.get(i));
      partitions.get(i).addListener(this);
    }
    timer = timers.schedule(maxWaitMs, this::finish);
  }

  private long end(PartitionReplica partition) {
    return readCommitted ? partition.lastStableOffset() : partition.highWatermark();
  }

  @Override
  public boolean onHighWatermark(PartitionReplica partition) {
    if (done) {
      return false;
    }
    if (partition.isStopped() || hasEnough(partition)) {
      finish();
      return false;
    }
    return true;
  }

  private boolean hasEnough(PartitionReplica partition) {
    int index = partitions.indexOf(partition);
    long end = end(partition);
    if (end > ends[index]) { // else what came is of a transaction that is open, or behind one
      missingBytes -= bytesBetween(ends[index], end, partition);
      ends[index] = end;
    }
    return missingBytes <= 0;
  }

  private long bytesBetween(long startOffset, long end, PartitionReplica partition) {
    try {
      return partition.log().bytesBetween(startOffset, end);
    } catch (IOException e) {
      return missingBytes; // whoever reads it is told
    }
  }

  private void finish() {
    if (!done) {
      cancel();
      answer.run();
    }
  }

  /** Forgets the fetch; it is not answered any more. */
  void cancel() {
    done = true;
    if (timer != null) {
      timer.cancel();
    }
    for (PartitionLeader partition : partitions) {
      partition.removeListener(this);
    }
  }
}
