package dev.tidemark.sim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tidemark.env.Timers.Timer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class VirtualTimeTest {
  private final VirtualClock clock = new VirtualClock(1000);
  private final VirtualTimers timers = new VirtualTimers(clock);
  private final List<String> ran = new ArrayList<>();

  private Timer schedule(long delayMs, String name) {
    return timers.schedule(delayMs, () -> ran.add(name + "@" + clock.monotonicMs()));
  }

  @Test
  void tasksRunInOrderOfTimeThenOfScheduling() {
    schedule(5, "c");
    schedule(3, "a");
    schedule(3, "b");
    timers.advanceMs(4);
    assertThat(ran).containsExactly("a@3", "b@3");
    assertThat(clock.monotonicMs()).isEqualTo(4);
    assertThat(timers.runNext()).isTrue();
    assertThat(ran).endsWith("c@5");
    assertThat(timers.runNext()).isFalse();
  }

  @Test
  void aTaskMayScheduleOthersWithinTheTimeThatPasses() {
    timers.schedule(2, () -> schedule(2, "later"));
    timers.advanceMs(10);
    assertThat(ran).containsExactly("later@4");
  }

  @Test
  void aCancelledTaskDoesNotRun() {
    schedule(1, "a").cancel();
    schedule(1, "b");
    timers.advanceMs(1);
    assertThat(ran).containsExactly("b@1");
    assertThat(timers.size()).isZero();
  }

  @Test
  void theWallClockMayJumpTheMonotonicOneDoesNot() {
    clock.advanceMs(5);
    clock.jumpWallMs(-100);
    assertThat(clock.wallMs()).isEqualTo(905);
    assertThat(clock.monotonicMs()).isEqualTo(5);
    assertThatThrownBy(() -> clock.advanceMs(-1)).isInstanceOf(IllegalArgumentException.class);
  }
}
