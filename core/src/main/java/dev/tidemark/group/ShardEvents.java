package dev.tidemark.group;

import dev.tidemark.env.Shard;
import java.util.ArrayDeque;
import java.util.concurrent.RejectedExecutionException;
import org.apache.kafka.coordinator.common.runtime.CoordinatorEvent;
import org.apache.kafka.coordinator.common.runtime.CoordinatorEventProcessor;

/** Runs the coordinator's events one after the other on the shard of the offsets partitions. */
final class ShardEvents implements CoordinatorEventProcessor {
  /** Events per turn, so that a burst of them does not keep the shard from everything else. */
  private static final int MAX_PER_TURN = 64;

  private final Shard shard;
  private final ArrayDeque<CoordinatorEvent> events = new ArrayDeque<>();
  private boolean scheduled;
  private boolean closed;

  ShardEvents(Shard shard) {
    this.shard = shard;
  }

  @Override
  public void enqueueLast(CoordinatorEvent event) {
    refuseWhenClosed();
    events.addLast(event);
    schedule();
  }

  @Override
  public void enqueueFirst(CoordinatorEvent event) {
    refuseWhenClosed();
    events.addFirst(event);
    schedule();
  }

  private void refuseWhenClosed() {
    if (closed) {
      throw new RejectedExecutionException("The group coordinator is stopped");
    }
  }

  private void schedule() {
    if (!scheduled) {
      scheduled = true;
      shard.execute(this::runSome);
    }
  }

  private void runSome() {
    scheduled = false;
    for (int i = 0; i < MAX_PER_TURN && !events.isEmpty(); i++) {
      run(events.removeFirst());
    }
    if (!events.isEmpty()) {
      schedule();
    }
  }

  // The runtime expects that whatever an event throws ends in the event's own completion.
  @SuppressWarnings("CatchingUnchecked")
  private static void run(CoordinatorEvent event) {
    try {
      event.run();
    } catch (RuntimeException e) {
      event.complete(e);
    }
  }

  @Override
  public void close() {
    closed = true;
    while (!events.isEmpty()) {
      events
          .removeFirst()
          .complete(new RejectedExecutionException("The group coordinator is stopped"));
    }
  }
}
