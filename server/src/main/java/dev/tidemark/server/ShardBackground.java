package dev.tidemark.server;

import dev.tidemark.env.Background;
import dev.tidemark.env.Shard;
import org.jspecify.annotations.Nullable;

/** One shard's use of the pool: its own queues, and completions as its events. */
final class ShardBackground implements Background {
  private final Shard shard;
  private final BackgroundPool pool;

  ShardBackground(Shard shard, BackgroundPool pool) {
    this.shard = shard;
    this.pool = pool;
  }

  @Override
  public <T> void run(String queue, Work<T> work, Completion<T> completion) {
    pool.submit(new QueueName(shard.name(), queue), () -> runOne(work, completion));
  }

  @SuppressWarnings("CatchAndPrintStackTrace")
  private <T> void runOne(Work<T> work, Completion<T> completion) {
    @Nullable T result = null;
    @Nullable Throwable failure = null;
    try {
      result = work.run();
    } catch (Throwable t) { // whatever it is, the shard that asked must hear of it
      failure = t;
    }
    @Nullable T finalResult = result;
    @Nullable Throwable finalFailure = failure;
    shard.execute(() -> completion.onDone(finalResult, finalFailure));
  }

  private record QueueName(String shard, String queue) {}
}
