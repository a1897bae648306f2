package dev.tidemark.sim;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.env.Timers;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class SimShardTest {
  private static final long MS = 1_000_000;

  private final Scheduler scheduler = new Scheduler(new Trace(null));
  private final VirtualNetwork network = new VirtualNetwork(scheduler, 1);
  private final SimNode node = new SimNode("n", network, 1, 1_000, 0);
  private final SimShard shard = node.newShard("shard-0");
  private final List<Object> done = new ArrayList<>();

  @Test
  void eventsRunOneAfterTheOtherInTheirOrder() {
    IntStream.range(0, 100).forEach(i -> shard.execute(() -> done.add(i)));
    scheduler.runForMs(10);
    assertThat(done).hasSize(100);
    assertThat(done).isEqualTo(IntStream.range(0, 100).boxed().toList());
  }

  @Test
  void whileAnEventTakesItsTimeLaterOnesAndWhatItStartsWait() {
    SimShard other = node.newShard("shard-1");
    shard.execute(
        () -> {
          scheduler.spend(50 * MS);
          other.execute(() -> done.add("other " + scheduler.nowNs() / MS));
        });
    scheduler.runForMs(10);
    shard.execute(() -> done.add("next " + scheduler.nowNs() / MS));
    scheduler.runForMs(100);
    assertThat(done).containsExactlyInAnyOrder("other 50", "next 50");
  }

  @Test
  void aTimerThatWasCancelledWhileItWaitedForTheShardDoesNotRun() {
    Timers.Timer[] timer = new Timers.Timer[1];
    shard.execute(
        () -> {
          timer[0] = shard.timers().schedule(1, () -> done.add("timer"));
          shard.execute(
              () -> {
                scheduler.spend(5 * MS);
                timer[0].cancel();
              });
        });
    scheduler.runForMs(100);
    assertThat(done).isEmpty();
  }

  @Test
  void aTimerNeverRunsEarlyByTheShardsOwnClock() {
    for (int driftPpm : new int[] {-200, 0, 200}) {
      SimNode drifting = new SimNode("d", network, 1, 0, driftPpm);
      SimShard one = drifting.newShard("shard-0");
      long startMs = drifting.clock().monotonicMs();
      List<Long> ran = new ArrayList<>();
      var unused = one.timers().schedule(60_000, () -> ran.add(drifting.clock().monotonicMs()));
      scheduler.runForMs(61_000);
      assertThat(ran).hasSize(1);
      assertThat(ran.get(0) - startMs).isBetween(60_000L, 60_050L);
    }
  }

  @Test
  void worksOfOneQueueRunInOrderAndTheirCompletionsOnTheShard() {
    for (int i = 0; i < 20; i++) {
      int number = i;
      shard
          .background()
          .run(
              "queue",
              () -> number,
              (result, failure) -> {
                assertThat(shard.isCurrent()).isTrue();
                done.add(number);
              });
    }
    scheduler.runForMs(1_000);
    assertThat(done).isEqualTo(IntStream.range(0, 20).boxed().toList());
  }

  @Test
  void whatAKilledProcessHadUnderWayIsDropped() {
    shard.execute(() -> done.add("event"));
    shard.background().run("queue", () -> done.add("work"), (result, failure) -> done.add("done"));
    var unused = shard.timers().schedule(1, () -> done.add("timer"));
    node.kill();
    scheduler.runForMs(1_000);
    assertThat(done).isEmpty();
  }
}
