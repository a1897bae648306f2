package dev.tidemark.broker.request;

import dev.tidemark.env.Timers;
import dev.tidemark.replica.HighWatermarkListener;
import dev.tidemark.replica.PartitionReplica;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A fetch that waits for data (long poll). It counts the bytes that become readable on its
 * partitions and is answered when they are enough, or when its time is over.
 */
final class WaitingFetch {
  private final List<Part> parts = new ArrayList<>();
  private final boolean readCommitted;
  private final Runnable answer;
  private long missingBytes;
  private Timers.@Nullable Timer timer;
  private boolean done;

  /**
   * @param readCommitted true if records of open transactions do not count
   * @param missingBytes what has to be added before the fetch is answered, at least 1
   * @param answer called once
   */
  WaitingFetch(
      List<PartitionReplica> partitions,
      boolean readCommitted,
      long missingBytes,
      Runnable answer) {
    this.readCommitted = readCommitted;
    this.missingBytes = missingBytes;
    this.answer = answer;
    partitions.forEach(partition -> parts.add(new Part(partition)));
  }

  void start(Timers timers, long maxWaitMs) {
    parts.forEach(Part::begin);
    timer = timers.schedule(maxWaitMs, this::finish);
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
    parts.forEach(Part::end);
  }

  /** One of the partitions, and how far it was readable when it was last looked at. */
  private final class Part implements HighWatermarkListener {
    private final PartitionReplica partition;
    private long countedTo;

    Part(PartitionReplica partition) {
      this.partition = partition;
    }

    void begin() {
      countedTo = readableEnd();
      partition.addListener(this);
    }

    void end() {
      partition.removeListener(this);
    }

    private long readableEnd() {
      return readCommitted ? partition.lastStableOffset() : partition.highWatermark();
    }

    @Override
    public boolean onHighWatermark(PartitionReplica told) {
      if (done) {
        return false;
      }
      if (partition.isStopped() || hasEnough()) {
        finish();
        return false;
      }
      return true;
    }

    private boolean hasEnough() {
      long end = readableEnd();
      if (end > countedTo) { // else what came is of a transaction that is open, or behind one
        missingBytes -= bytesTo(end);
        countedTo = end;
      }
      return missingBytes <= 0;
    }

    private long bytesTo(long end) {
      try {
        return partition.log().bytesBetween(countedTo, end);
      } catch (IOException e) {
        return missingBytes; // whoever reads it is told
      }
    }
  }
}
