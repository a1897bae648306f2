package dev.tidemark.broker.control;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.env.Dialer;
import dev.tidemark.metadata.BrokerControlSettings;
import dev.tidemark.metadata.BrokerIncarnation;
import dev.tidemark.metadata.BrokerProbe;
import dev.tidemark.metadata.Controller;
import dev.tidemark.metadata.ControllerCalls;
import dev.tidemark.metadata.ControllerSettings;
import dev.tidemark.metadata.FakeMetadataLog;
import dev.tidemark.metadata.FakeShard;
import dev.tidemark.metadata.MetadataView;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.apache.kafka.common.Uuid;
import org.junit.jupiter.api.Test;

/** The lives of several brokers under one controller, on fake shards. */
class SharedHeartbeatsTest {
  private static final String CLUSTER = "the-cluster";
  private static final int STEP_MS = 10;
  private static final int MINUTE_MS = 60_000;

  private final FakeShard data = new FakeShard();
  private final FakeShard control = new FakeShard();
  private final MetadataView view = new MetadataView();
  private final KnownController known = new KnownController();
  private final FakeMetadataLog log = new FakeMetadataLog();
  private final List<BrokerLife> lives = new ArrayList<>();
  private final List<LeaderLease> leases = new ArrayList<>();

  /** Brokers 1 to {@code brokers} lead; the times of their heartbeats lie apart. */
  private void run(int brokers, int intervalMs, int sessionMs) throws IOException {
    Controller controller =
        new Controller(
            log,
            view,
            control,
            data,
            new ControllerSettings(9, 1, OptionalInt.empty(), true, Map.of()),
            new BrokerControlSettings(CLUSTER, sessionMs, true, true, 300_000),
            BrokerProbe.none());
    controller.start();
    step();
    known.set(new ActiveController(9, 1, true, null));
    ControllerCalls calls = new ControllerCalls(controller, control, data);
    for (int id = 1; id <= brokers; id++) {
      lives.add(life(id, calls, new LifeSettings(CLUSTER, sessionMs, intervalMs, 60_000)));
    }
    for (BrokerLife life : lives) {
      pass(intervalMs / (brokers - 1) + 50);
      life.onLoaded();
    }
    pass(300);
  }

  private BrokerLife life(int id, ControllerCalls calls, LifeSettings settings) {
    Dialer nobody = (host, port, timeoutMs, attempt) -> attempt.onUnreachable("no network");
    LeaderLease lease = LeaderLease.needed(data, settings.sessionTimeoutMs());
    leases.add(lease);
    BrokerLife life =
        new BrokerLife(
            new BrokerIncarnation(
                id,
                new Uuid(id, 1),
                List.of(new BrokerIncarnation.Listener("PLAINTEXT", "localhost", 9092, (short) 0)),
                Optional.empty(),
                List.of(new Uuid(7, 10 + id)),
                true),
            settings,
            new RoutedChannel(known, calls, nobody, data, "broker"),
            known,
            lease,
            view,
            data,
            new BrokerLife.Owner() {
              @Override
              public void onRegistered() {}

              @Override
              public void onUnfenced() {}

              @Override
              public void onFailed(Throwable cause) {
                throw new AssertionError(cause);
              }
            });
    life.start();
    return life;
  }

  private void step() {
    for (int i = 0; i < 5; i++) {
      control.runAll();
      data.runAll();
    }
  }

  private void pass(long ms) {
    for (long passed = 0; passed < ms; passed += STEP_MS) {
      control.advance(STEP_MS);
      data.advance(STEP_MS);
      step();
    }
  }

  /** Lets a minute pass in which all leases hold; how many records it brings. */
  private long recordsInAMinute() {
    long before = log.state().logEndOffset();
    for (int passed = 0; passed < MINUTE_MS; passed += STEP_MS) {
      pass(STEP_MS);
      assertThat(leases).as("after %d ms", passed).allMatch(one -> one.isHeld(data.monotonicMs()));
    }
    return log.state().logEndOffset() - before;
  }

  /** A record every interval, or every other; four more while they do not meet yet. */
  private void assertSettles(long intervalsAMinute) {
    long settling = recordsInAMinute();

    assertThat(recordsInAMinute()).isBetween(intervalsAMinute / 2, intervalsAMinute);
    assertThat(settling).isLessThanOrEqualTo(intervalsAMinute + 4);
  }

  @Test
  void brokersThatSendAtDifferentTimesSendTogetherSoon() throws IOException {
    run(4, 2_000, 9_000);
    assertSettles(30);
  }

  @Test
  void theSameWithShortIntervals() throws IOException {
    run(3, 500, 2_500);
    assertSettles(120);
  }

  /** Half a lease is shorter than an interval: nobody waits for others. */
  @Test
  void aShortSessionIsNeverRiskedForOthers() throws IOException {
    run(3, 2_000, 3_000);

    assertThat(recordsInAMinute()).isPositive();
  }

  @Test
  void nobodyWaitsForMoreThanTwoIntervalsWhoeverIsAnswered() throws IOException {
    run(2, 2_000, 9_000);
    BrokerLife hasty = lives.get(0);
    for (int passed = 0; passed < MINUTE_MS; passed += 100) {
      hasty.beatNow();
      pass(100);
      assertThat(leases).allMatch(one -> one.isHeld(data.monotonicMs() + 3_500));
    }
  }

  @Test
  void aBrokerThatStopsIsNotHeldUp() throws IOException {
    run(3, 2_000, 9_000);
    pass(10_000);
    List<String> told = new ArrayList<>();
    lives.get(2).leave(() -> told.add("gone"));
    pass(2_200); // the others tell within an interval that they know

    assertThat(told).containsExactly("gone");
  }
}
