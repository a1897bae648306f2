package dev.tidemark.broker.control;

import java.util.ArrayList;
import java.util.List;

/**
 * Who is the active controller now. Owned by the data shard, which is told by the control shard.
 */
public final class KnownController {
  private final List<Runnable> listeners = new ArrayList<>();
  private ActiveController now = ActiveController.NONE;

  public ActiveController now() {
    return now;
  }

  /** Takes over what the control shard knows. */
  public void set(ActiveController known) {
    boolean isNews = !known.equals(now);
    now = known;
    if (isNews) {
      List.copyOf(listeners).forEach(Runnable::run);
    }
  }

  /** {@code listener} runs with every change. */
  public void onChange(Runnable listener) {
    listeners.add(listener);
  }
}
