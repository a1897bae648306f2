package dev.tidemark.env;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Where slow work goes that a shard must not wait for: syncs, recovery, deletions, cold reads.
 * Works submitted under one name run one after the other in the order of submission; under
 * different names they may run at once. The completion is an event of the shard that submitted the
 * work. At a crash pending works are dropped and their completions never run.
 */
public interface Background {
  /** Runs {@code work} off the shard, then {@code completion} on it. */
  <T> void run(String queue, Work<T> work, Completion<T> completion);

  /** The slow part; must not touch what the shard owns. */
  @FunctionalInterface
  interface Work<T> {
    T run() throws IOException;
  }

  /** The part that runs on the shard again. Exactly one of the two arguments is not null. */
  @FunctionalInterface
  interface Completion<T> {
    void onDone(@Nullable T result, @Nullable Throwable failure);
  }
}
