package dev.tidemark.broker.request;

import dev.tidemark.env.Timers;
import dev.tidemark.replica.LeaderObserver;
import dev.tidemark.replica.PartitionLeader;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.message.DeleteRecordsResponseData.DeleteRecordsPartitionResult;
import org.apache.kafka.common.protocol.Errors;
import org.jspecify.annotations.Nullable;

/**
 * A DeleteRecords that waits until no living replica has what was deleted (KIP-107), so that no
 * later leader gives it to readers again. What is not known to be gone when its time is over is
 * answered with REQUEST_TIMED_OUT; it goes all the same. Owned by the shard.
 */
final class WaitingDeletion {
  private static final long NO_LOW_WATERMARK = -1;

  private final List<Part> waiting = new ArrayList<>();
  private final Timers timers;
  private final Runnable answer;
  private Timers.@Nullable Timer timer;

  /**
   * @param answer called once, maybe within {@link #await}
   */
  WaitingDeletion(Timers timers, Runnable answer) {
    this.timers = timers;
    this.answer = answer;
  }

  /** Waits until all below {@code offset} is gone; {@code result} says how it ended. */
  void add(PartitionLeader partition, long offset, DeleteRecordsPartitionResult result) {
    result.setLowWatermark(partition.lowWatermark());
    if (result.lowWatermark() < offset) {
      result.setErrorCode(Errors.REQUEST_TIMED_OUT.code());
      Part part = new Part(partition, offset, result);
      waiting.add(part);
      partition.addObserver(part);
    }
  }

  /** Begins to wait, after the last {@link #add}. */
  void await(int timeoutMs) {
    if (waiting.isEmpty()) {
      answer.run();
    } else {
      timer = timers.schedule(Math.max(0, timeoutMs), this::end);
    }
  }

  /** Forgets all that waits: nobody is there any more to be answered. */
  void cancel() {
    waiting.forEach(part -> part.partition.removeObserver(part));
    waiting.clear();
    if (timer != null) {
      timer.cancel();
    }
  }

  private void end() {
    cancel();
    answer.run();
  }

  private void onDone(Part part) {
    part.partition.removeObserver(part);
    if (waiting.remove(part) && waiting.isEmpty()) {
      end();
    }
  }

  /** One partition of the request. */
  private final class Part implements LeaderObserver {
    private final PartitionLeader partition;
    private final long offset;
    private final DeleteRecordsPartitionResult result;

    Part(PartitionLeader partition, long offset, DeleteRecordsPartitionResult result) {
      this.partition = partition;
      this.offset = offset;
      this.result = result;
    }

    @Override
    public void onLogEnd(PartitionLeader told) {}

    @Override
    public void onHighWatermark(PartitionLeader told) {}

    @Override
    public void onLowWatermark(PartitionLeader told) {
      long lowWatermark = partition.lowWatermark();
      if (lowWatermark >= offset) {
        result.setErrorCode(Errors.NONE.code()).setLowWatermark(lowWatermark);
        onDone(this);
      }
    }

    @Override
    public void onLeadershipChanged(PartitionLeader told) {
      if (partition.isStopped()) {
        result.setErrorCode(Errors.NOT_LEADER_OR_FOLLOWER.code()).setLowWatermark(NO_LOW_WATERMARK);
        onDone(this);
      }
    }
  }
}
