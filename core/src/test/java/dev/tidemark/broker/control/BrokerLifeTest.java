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
import dev.tidemark.metadata.Reply;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.metadata.BrokerRegistration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A broker's life with the controller in its process, on fake shards. */
class BrokerLifeTest {
  private static final String CLUSTER = "the-cluster";
  private static final int ID = 4;

  private final FakeShard data = new FakeShard();
  private final FakeShard control = new FakeShard();
  private final MetadataView view = new MetadataView();
  private final KnownController known = new KnownController();
  private final LeaderLease lease = LeaderLease.needed(data, 9_000);
  private final List<String> told = new ArrayList<>();
  private int ownSessionMs = 9_000;
  private Controller controller = newController();

  private Controller newController() {
    return new Controller(
        new FakeMetadataLog(),
        view,
        control,
        data,
        new ControllerSettings(9, 1, OptionalInt.empty(), true, Map.of()),
        new BrokerControlSettings(CLUSTER, 9_000, true, true, 300_000),
        BrokerProbe.none());
  }

  @BeforeEach
  void start() throws Exception {
    controller.start();
    pass(0);
  }

  /** Lets time pass on both shards. */
  private void pass(long ms) {
    for (long passed = 0; passed <= ms; passed += 10) {
      for (int i = 0; i < 5; i++) {
        control.runAll();
        data.runAll();
      }
      if (passed < ms) {
        control.advance(10);
        data.advance(10);
      }
    }
  }

  private BrokerLife life(String clusterId) {
    return life(clusterId, new Uuid(1, 1));
  }

  private BrokerLife life(String clusterId, Uuid incarnationId) {
    Dialer nobody = (host, port, timeoutMs, attempt) -> attempt.onUnreachable("no network");
    ControllerCalls calls = new ControllerCalls(controller, control, data);
    return new BrokerLife(
        new BrokerIncarnation(
            ID,
            incarnationId,
            List.of(new BrokerIncarnation.Listener("PLAINTEXT", "localhost", 9092, (short) 0)),
            Optional.empty(),
            List.of(new Uuid(7, 6 + incarnationId.getLeastSignificantBits())),
            true),
        new LifeSettings(clusterId, ownSessionMs, 2_000, 60_000),
        new RoutedChannel(known, calls, nobody, data, "broker"),
        known,
        lease,
        view,
        data,
        new BrokerLife.Owner() {
          @Override
          public void onRegistered() {
            told.add("registered");
          }

          @Override
          public void onUnfenced() {
            told.add("unfenced");
          }

          @Override
          public void onFailed(Throwable cause) {
            told.add("failed: " + cause.getMessage());
          }
        });
  }

  private void controllerIsHere() {
    known.set(new ActiveController(9, 1, true, null));
  }

  private BrokerRegistration registered() {
    return Objects.requireNonNull(view.image().cluster().broker(ID));
  }

  private boolean isHeld() {
    return lease.isHeld(data.monotonicMs());
  }

  private BrokerLife running() {
    controllerIsHere();
    BrokerLife life = life(CLUSTER);
    life.start();
    pass(200);
    life.onLoaded();
    pass(200);
    return life;
  }

  @Test
  void itWantsToLeadOnlyWhenItsLogsAreOpen() {
    controllerIsHere();
    BrokerLife life = life(CLUSTER);
    life.start();
    pass(5_000);
    assertThat(told).containsExactly("registered");
    assertThat(registered().fenced()).isTrue();
    assertThat(isHeld()).isFalse();

    life.onLoaded();
    pass(100);

    assertThat(told).containsExactly("registered", "unfenced");
    assertThat(registered().fenced()).isFalse();
    assertThat(registered().epoch()).isEqualTo(life.brokerEpoch());
    assertThat(isHeld()).isTrue();
  }

  @Test
  void heartbeatsKeepTheLeaseAndTheSession() {
    BrokerLife unused = running();
    for (int i = 0; i < 30; i++) {
      pass(1_000);
      assertThat(isHeld()).as("after %s s", i).isTrue();
    }
    assertThat(registered().fenced()).isFalse();
  }

  @Test
  void withoutAnAnswerTheLeaseEndsBeforeTheSession() {
    theLeaseEndsBeforeTheSessionOfTheController();
    assertThat(registered().fenced()).isFalse();
    controllerIsHere();
    pass(200);
    assertThat(isHeld()).isTrue();
  }

  @Test
  void aBrokerWithALongerSessionThanItsControllerLeadsNoLongerThanThatWaits() {
    ownSessionMs = 60_000;
    theLeaseEndsBeforeTheSessionOfTheController();
  }

  private void theLeaseEndsBeforeTheSessionOfTheController() {
    BrokerLife unused = running();
    known.set(ActiveController.NONE);
    pass(5_000);
    assertThat(isHeld()).isTrue();
    pass(3_000);
    assertThat(isHeld()).isFalse();
  }

  @Test
  void aBrokerThatTheControllerDoesNotKnowRegistersAgain() {
    BrokerLife life = running();
    long before = life.brokerEpoch();
    controller.unregisterBroker(
        ID,
        new Reply<>() {
          @Override
          public void succeed(Integer gone) {}

          @Override
          public void fail(Throwable cause) {
            throw new AssertionError(cause);
          }
        });
    pass(2_500);

    assertThat(life.brokerEpoch()).isGreaterThan(before);
    assertThat(registered().epoch()).isEqualTo(life.brokerEpoch());
    assertThat(registered().fenced()).isFalse();
    assertThat(isHeld()).isTrue();
    assertThat(told).containsExactly("registered", "unfenced");
  }

  @Test
  void aStartWithoutAControllerFailsInTimeAndSaysWhatToLookAt() {
    BrokerLife life = life(CLUSTER);
    life.start();
    pass(59_000);
    assertThat(told).isEmpty();
    pass(2_000);
    assertThat(told)
        .singleElement()
        .asString()
        .contains("initial.broker.registration.timeout.ms", "not reached");
  }

  @Test
  void aBrokerOfAnotherClusterIsRefusedAtOnce() {
    controllerIsHere();
    BrokerLife life = life("another");
    life.start();
    pass(100);
    assertThat(told).singleElement().asString().contains("INCONSISTENT_CLUSTER_ID");
  }

  @Test
  void aSecondProcessWithTheSameIdIsToldWhatToDo() {
    BrokerLife first = running();
    told.clear();
    BrokerLife second = life(CLUSTER, new Uuid(2, 2));
    second.start();
    pass(61_000);
    assertThat(told).singleElement().asString().contains("is broker 4 of this cluster", "node.id");
    assertThat(registered().incarnationId()).isEqualTo(new Uuid(1, 1));
    assertThat(first.brokerEpoch()).isEqualTo(registered().epoch());
  }

  @Test
  void aStopWaitsUntilTheControllerSaysSoAndEndsTheLease() {
    BrokerLife life = running();
    life.leave(() -> told.add("gone"));
    assertThat(told).doesNotContain("gone");
    pass(1_000);
    assertThat(told).endsWith("gone");
    assertThat(registered().fenced()).isTrue();
    assertThat(isHeld()).isFalse();
  }

  @Test
  void aStopWithoutAControllerDoesNotWaitForLong() {
    BrokerLife life = running();
    known.set(ActiveController.NONE);
    life.leave(() -> told.add("gone"));
    pass(2_000);
    assertThat(told).doesNotContain("gone");
    pass(1_500);
    assertThat(told).endsWith("gone");
  }
}
