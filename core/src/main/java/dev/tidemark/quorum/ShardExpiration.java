package dev.tidemark.quorum;

import dev.tidemark.env.Timers;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.raft.ExpirationService;

/** Futures that fail by themselves, on the shard, unless they are completed before. */
final class ShardExpiration implements ExpirationService {
  private final Timers timers;
  private final Runnable afterwards;

  /**
   * @param afterwards runs after each failure, for what it led to
   */
  ShardExpiration(Timers timers, Runnable afterwards) {
    this.timers = timers;
    this.afterwards = afterwards;
  }

  @Override
  public <T> CompletableFuture<T> failAfter(long timeoutMs) {
    CompletableFuture<T> future = new CompletableFuture<>();
    if (timeoutMs < Integer.MAX_VALUE) { // what raft says for never
      Timers.Timer timer = timers.schedule(timeoutMs, () -> fail(future, timeoutMs));
      var unused = future.whenComplete((value, failure) -> timer.cancel());
    }
    return future;
  }

  private void fail(CompletableFuture<?> future, long timeoutMs) {
    if (future.completeExceptionally(
        new TimeoutException("not completed within " + timeoutMs + " ms"))) {
      afterwards.run();
    }
  }
}
