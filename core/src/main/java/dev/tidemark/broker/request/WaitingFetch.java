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
  private final long[] sizes;
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
    this.sizes = new long[partitions.size()];
  }

  void start(Timers timers, long maxWaitMs) {
    for (int i = 0; i < partitions.size(); i++) {
      ends[i] = end(partitions.get(i));
      sizes[i] = bytesBelow(ends[i], partitions.get(i));
    }
    partitions.forEach(partition -> partition.addListener(this));
    timer = timers.schedule(maxWaitMs, this::finish);
  }

  private long end(PartitionReplica partition) {
    return readCommitted ? partition.lastStableOffset() : partition.highWatermark();
  }

  private static long bytesBelow(long end, PartitionReplica partition) {
    try {
      return partition.log().bytesBelow(end);
    } catch (IOException e) {
      return -1; // whoever reads it is told
    }
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
    if (end == ends[index]) {
      return false; // what came is of a transaction that is open, or behind one
    }
    long size = bytesBelow(end, partition);
    // Retention may have made the log smaller: then nothing is known, which counts as enough.
    missingBytes -= size >= sizes[index] ? size - sizes[index] : missingBytes;
    ends[index] = end;
    sizes[index] = size;
    return missingBytes <= 0;
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
