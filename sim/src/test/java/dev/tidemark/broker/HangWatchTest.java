package dev.tidemark.broker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.sim.VirtualClock;
import dev.tidemark.sim.VirtualTimers;
import org.junit.jupiter.api.Test;

class HangWatchTest {
  private static final long LIMIT_MS = 1_000;
  private static final long SECOND_LOOK_MS = 1_000;

  private final VirtualClock clock = new VirtualClock(1_000_000);
  private final VirtualTimers timers = new VirtualTimers(clock);
  private int hangs;
  private final HangWatch watch = new HangWatch(clock, timers, LIMIT_MS, () -> hangs++);

  @Test
  void aWorkThatDoesNotComeBackIsNoticedOnce() {
    watch.begun();
    timers.advanceMs(LIMIT_MS + SECOND_LOOK_MS - 1);
    assertThat(hangs).isZero();
    timers.advanceMs(1);
    assertThat(hangs).isEqualTo(1);
    watch.begun();
    timers.advanceMs(10 * LIMIT_MS);
    assertThat(hangs).isEqualTo(1);
  }

  @Test
  void manyThatTakeLongTogetherDoNotHang() {
    watch.begun();
    for (int i = 0; i < 100; i++) {
      watch.begun();
      timers.advanceMs(LIMIT_MS / 2);
      watch.ended();
    }
    assertThat(hangs).isZero();
  }

  @Test
  void aShardThatStoodStillHearsFirstWhatHasEnded() {
    watch.begun();
    clock.advanceMs(10 * LIMIT_MS);
    timers.advanceMs(0);
    watch.ended(); // an event that waited behind the timer
    timers.advanceMs(10 * LIMIT_MS);
    assertThat(hangs).isZero();
  }

  @Test
  void oneThatHungAndCameBackIsWatchedAgain() {
    watch.begun();
    timers.advanceMs(LIMIT_MS + SECOND_LOOK_MS);
    watch.ended();
    watch.begun();
    timers.advanceMs(LIMIT_MS + SECOND_LOOK_MS);
    assertThat(hangs).isEqualTo(2);
  }

  @Test
  void withoutWorkThereIsNoTimer() {
    watch.begun();
    watch.ended();
    timers.advanceMs(2 * LIMIT_MS);
    assertThat(timers.size()).isZero();
  }
}
