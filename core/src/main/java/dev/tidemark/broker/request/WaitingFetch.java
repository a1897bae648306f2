package dev.tidemark.broker.request;

import dev.tidemark.env.Timers;
import dev.tidemark.replica.HighWatermarkListener;
import dev.tidemark.replica.PartitionLeader;
import dev.tidemark.replica.PartitionReplica;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A fetch that waits for data (long poll). It counts the bytes that become readable on its
 * partitions and is answered when they are enough, or when its time is over.
 */
final class WaitingFetch implements HighWatermarkListener {
  private final List<PartitionLeader> partitions;
  private final Runnable answer;
  private final long[] sizes;
  private long missingBytes;
  private Timers.@Nullable Timer timer;
  private boolean done;

  /**
   * @param missingBytes what has to be added before the fetch is answered, at least 1
   * @param answer called once
   */
  WaitingFetch(List<PartitionLeader> partitions, long missingBytes, Runnable answer) {
    this.partitions = partitions;
    this.missingBytes = missingBytes;
    this.answer = answer;
    this.sizes = new long[partitions.size()];
  }

  void start(Timers timers, long maxWaitMs) {
    for (int i = 0; i < partitions.size(); i++) {
      sizes[i] = partitions.get(i).log().sizeInBytes();
      partitions.get(i).addListener(this);
    }
    timer = timers.schedule(maxWaitMs, this::finish);
  }

  @Override
  public boolean onHighWatermark(PartitionReplica partition) {
    if (done) {
      return false;
    }
    if (partition.isStopped() || missingBytes <= 1) {
      finish();
      return false;
    }
    int index = partitions.indexOf(partition);
    long size = partition.log().sizeInBytes();
    // Retention may have made the log smaller: then nothing is known, which counts as enough.
    missingBytes -= size >= sizes[index] ? size - sizes[index] : missingBytes;
    sizes[index] = size;
    if (missingBytes <= 0) {
      finish();
      return false;
    }
    return true;
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
