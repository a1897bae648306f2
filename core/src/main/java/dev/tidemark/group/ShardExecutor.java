package dev.tidemark.group;

import dev.tidemark.env.Shard;
import java.util.List;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/** Runs the coordinator's background tasks as events of their own on the shard. */
final class ShardExecutor extends AbstractExecutorService {
  private final Shard shard;
  private boolean shutdown;

  ShardExecutor(Shard shard) {
    this.shard = shard;
  }

  @Override
  public void execute(Runnable task) {
    if (shutdown) {
      throw new RejectedExecutionException("The group coordinator is stopped");
    }
    shard.execute(task);
  }

  @Override
  public void shutdown() {
    shutdown = true;
  }

  @Override
  public List<Runnable> shutdownNow() {
    shutdown = true;
    return List.of();
  }

  @Override
  public boolean isShutdown() {
    return shutdown;
  }

  @Override
  public boolean isTerminated() {
    return shutdown;
  }

  @Override
  public boolean awaitTermination(long timeout, TimeUnit unit) {
    return true; // a task is an event of the shard that asks
  }
}
