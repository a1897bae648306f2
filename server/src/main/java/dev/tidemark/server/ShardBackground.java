package dev.tidemark.server;

import dev.tidemark.env.Background;
import dev.tidemark.env.Shard;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One shard's use of the pool: its own queues, and completions as its events. */
final class ShardBackground implements Background {
  private static final Logger LOG = LoggerFactory.getLogger(ShardBackground.class);

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
    try {
      shard.execute(() -> completion.onDone(finalResult, finalFailure));
    } catch (RejectedExecutionException e) {
      LOG.debug("{} has stopped; nobody hears how work in its background ended.", shard.name(), e);
    }
  }

  private record QueueName(String shard, String queue) {}
}
