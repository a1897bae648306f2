package dev.tidemark.metadata;

import dev.tidemark.env.Background;
import dev.tidemark.env.Clock;
import dev.tidemark.env.Randomness;
import dev.tidemark.env.Shard;
import dev.tidemark.env.Timers;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;

/** A shard whose events run when the test says so, with a clock that stands still until then. */
public final class FakeShard implements Shard, Timers, Clock {
  private final ArrayDeque<Runnable> events = new ArrayDeque<>();
  private final List<FakeTimer> timers = new ArrayList<>();
  private long nowMs = 1_000_000;
  private long scheduled;
  private long seed = 42;

  /** What is drawn from now on differs, as with another process. */
  void reseed() {
    seed++;
  }

  /** Runs events, and those they cause, until none is left. */
  public void runAll() {
    while (!events.isEmpty()) {
      events.remove().run();
    }
  }

  /** Moves the clock on, running timers in order. */
  public void advance(long ms) {
    long end = nowMs + ms;
    while (true) {
      runAll();
      FakeTimer next =
          timers.stream()
              .filter(timer -> timer.dueMs <= end)
              .min(Comparator.comparingLong((FakeTimer t) -> t.dueMs).thenComparing(t -> t.number))
              .orElse(null);
      if (next == null) {
        break;
      }
      timers.remove(next);
      nowMs = Math.max(nowMs, next.dueMs);
      next.task.run();
    }
    nowMs = end;
  }

  @Override
  public String name() {
    return "fake";
  }

  @Override
  public void execute(Runnable event) {
    events.add(event);
  }

  @Override
  public boolean isCurrent() {
    return true;
  }

  @Override
  public Clock clock() {
    return this;
  }

  @Override
  public Timers timers() {
    return this;
  }

  @Override
  public Background background() {
    return new Background() {
      @Override
      public <T> void run(String queue, Work<T> work, Completion<T> completion) {
        try {
          T result = work.run();
          execute(() -> completion.onDone(result, null));
        } catch (Exception e) {
          execute(() -> completion.onDone(null, e));
        }
      }
    };
  }

  @Override
  public Randomness randomness() {
    return new Seeded(seed);
  }

  @Override
  public Timer schedule(long delayMs, Runnable task) {
    FakeTimer timer = new FakeTimer(nowMs + delayMs, scheduled++, task);
    timers.add(timer);
    return () -> timers.remove(timer);
  }

  @Override
  public long wallMs() {
    return nowMs;
  }

  @Override
  public long monotonicNs() {
    return nowMs * 1_000_000;
  }

  private record FakeTimer(long dueMs, long number, Runnable task) {}

  /** Randomness from a seed. */
  private static final class Seeded implements Randomness {
    private final SplittableRandom random;
    private final long seed;

    Seeded(long seed) {
      this.seed = seed;
      this.random = new SplittableRandom(seed);
    }

    @Override
    public long nextLong() {
      return random.nextLong();
    }

    @Override
    public int nextInt(int boundExclusive) {
      return random.nextInt(boundExclusive);
    }

    @Override
    public void nextBytes(byte[] bytes) {
      for (int i = 0; i < bytes.length; i++) {
        bytes[i] = (byte) random.nextInt();
      }
    }

    @Override
    public Randomness fork(String label) {
      return new Seeded(seed * 31 + label.hashCode());
    }
  }
}
