package dev.tidemark.replica;

import dev.tidemark.env.Background;
import java.util.ArrayDeque;

/** Slow work that is done when the test says so. */
public final class HeldBackground implements Background {
  private final ArrayDeque<Runnable> works = new ArrayDeque<>();

  @Override
  public <T> void run(String queue, Work<T> work, Completion<T> completion) {
    works.add(() -> runOne(work, completion));
  }

  private static <T> void runOne(Work<T> work, Completion<T> completion) {
    T result;
    try {
      result = work.run();
    } catch (Exception e) {
      completion.onDone(null, e);
      return;
    }
    completion.onDone(result, null);
  }

  public int size() {
    return works.size();
  }

  /** The process is gone: the oldest work is never done. */
  void dropNext() {
    works.remove();
  }

  /** Does the oldest work and tells of its end. */
  public void runNext() {
    works.remove().run();
  }
}
