package dev.tidemark.log;

import dev.tidemark.env.Background;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * A sync split in two: {@link #run()} syncs files and may run on any thread; {@link #onDone} tells
 * the log on its own shard. Both fit {@link Background#run}. When the sync fails the log takes no
 * more appends until it is opened again, because the kernel may have dropped the unsynced pages.
 */
public final class FlushTask implements Background.Work<Boolean>, Background.Completion<Boolean> {
  private final PartitionLog log;
  private final LogFlush flush;

  FlushTask(PartitionLog log, LogFlush flush) {
    this.log = log;
    this.flush = flush;
  }

  /** What will be synced once this is done, exclusive. */
  public long endOffsetExclusive() {
    return flush.endOffset();
  }

  /** True when all was synced before: {@link #run()} does nothing. */
  public boolean isEmpty() {
    return flush.isEmpty();
  }

  @Override
  public Boolean run() throws IOException {
    flush.syncFiles();
    return true;
  }

  @Override
  public void onDone(@Nullable Boolean result, @Nullable Throwable failure) {
    log.flushDone(flush, failure);
  }
}
