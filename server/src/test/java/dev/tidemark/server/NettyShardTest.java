package dev.tidemark.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class NettyShardTest {
  private final ConcurrentLinkedQueue<Throwable> failures = new ConcurrentLinkedQueue<>();
  private final BackgroundPool pool = new BackgroundPool(2);
  private final NettyShard shard =
      new NettyShard(
          "shard-test", NettyIo.choose(), pool, new SecureRandomness(), (n, t) -> failures.add(t));
  private final LinkedBlockingQueue<String> seen = new LinkedBlockingQueue<>();

  @AfterEach
  void stop() throws InterruptedException {
    pool.stop();
    shard.stop();
  }

  @Test
  void runsEventsInOrderOnItsOneThread() throws InterruptedException {
    shard.execute(() -> seen.add("1 " + shard.isCurrent()));
    shard.execute(() -> seen.add("2 " + Thread.currentThread().getName()));
    assertThat(take(2)).containsExactly("1 true", "2 shard-test");
    assertThat(shard.isCurrent()).isFalse();
  }

  @Test
  void runsTimersInTheOrderOfDueTimeAndScheduling() throws InterruptedException {
    shard.execute(
        () -> {
          shard.timers().schedule(20, () -> seen.add("late"));
          shard.timers().schedule(5, () -> seen.add("cancelled")).cancel();
          shard.timers().schedule(5, () -> seen.add("early"));
          shard.timers().schedule(5, () -> seen.add("early, second"));
        });
    assertThat(take(3)).containsExactly("early", "early, second", "late");
  }

  @Test
  void completesBackgroundWorkAsItsOwnEventInTheOrderOfOneQueue() throws InterruptedException {
    CountDownLatch gate = new CountDownLatch(1);
    shard.execute(
        () -> {
          shard.background().run("a", () -> opened(gate), (r, f) -> seen.add("a1"));
          shard.background().run("a", () -> "x", (r, f) -> seen.add("a2 " + r));
          shard
              .background()
              .run("b", () -> "y", (r, f) -> seen.add("b " + r + " " + shard.isCurrent()));
        });
    assertThat(take(1)).containsExactly("b y true");
    gate.countDown();
    assertThat(take(2)).containsExactly("a1", "a2 x");
  }

  @Test
  void handsAFailureOfBackgroundWorkToItsCompletion() throws InterruptedException {
    shard.execute(
        () ->
            shard
                .background()
                .run(
                    "a",
                    () -> {
                      throw new IllegalStateException("broken");
                    },
                    (r, f) -> seen.add(r + " " + f)));
    assertThat(take(1)).containsExactly("null java.lang.IllegalStateException: broken");
  }

  @Test
  void dropsPendingBackgroundWorkAtACrash() throws InterruptedException {
    CountDownLatch started = new CountDownLatch(1);
    CountDownLatch gate = new CountDownLatch(1);
    AtomicBoolean secondRan = new AtomicBoolean();
    shard
        .background()
        .run(
            "a",
            () -> {
              started.countDown();
              return opened(gate);
            },
            (r, f) -> {});
    shard.background().run("a", () -> secondRan.getAndSet(true), (r, f) -> {});
    assertThat(started.await(10, TimeUnit.SECONDS)).isTrue();
    pool.crash();
    gate.countDown();
    pool.stop();
    assertThat(secondRan).isFalse();
  }

  @Test
  void finishesSubmittedBackgroundWorkWhenStopped() throws InterruptedException {
    for (int i = 0; i < 100; i++) {
      int number = i;
      shard.background().run("q" + i % 7, () -> seen.add("w" + number), (r, f) -> {});
    }
    pool.stop();
    assertThat(seen).hasSize(100);
  }

  @Test
  void reportsWhatAnEventThrowsAndGoesOn() throws InterruptedException {
    shard.execute(
        () -> {
          throw new IllegalStateException("broken event");
        });
    shard.execute(() -> seen.add("next"));
    assertThat(take(1)).containsExactly("next");
    assertThat(failures)
        .singleElement()
        .hasToString("java.lang.IllegalStateException: broken event");
  }

  private static boolean opened(CountDownLatch gate) {
    try {
      return gate.await(10, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private List<String> take(int count) throws InterruptedException {
    List<String> taken = new java.util.ArrayList<>();
    for (int i = 0; i < count; i++) {
      String one = seen.poll(10, TimeUnit.SECONDS);
      assertThat(one).as("event %d of %d within 10 s", i + 1, count).isNotNull();
      taken.add(one);
    }
    return taken;
  }
}
