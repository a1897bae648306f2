package dev.tidemark.sim;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** {@code flush.messages=1} in a whole broker: what was acknowledged survives a loss of power. */
class SyncedTopicPowerLossTest {
  private static final long WALL_MS = 1_700_000_000_000L;
  private static final Map<String, String> SYNCING = Map.of("log.flush.interval.messages", "1");
  private static final int SEEDS = 12;
  private static final long LONG_MS = 10_000;
  private static final short ACKS_LEADER = 1;
  private static final short ACKS_ALL = -1;

  @Test
  void withAcksAll() throws IOException {
    for (long seed = 1; seed <= SEEDS; seed++) {
      assertNothingAcknowledgedIsLost(ACKS_ALL, seed);
    }
  }

  @Test
  void withAcksOfTheLeaderAlone() throws IOException {
    for (long seed = 1; seed <= SEEDS; seed++) {
      assertNothingAcknowledgedIsLost(ACKS_LEADER, seed);
    }
  }

  /** An offset that was acknowledged and lost would be given to another record. */
  private static void assertNothingAcknowledgedIsLost(short acks, long seed) throws IOException {
    Scheduler scheduler = new Scheduler(new Trace(line -> {}));
    VirtualNetwork network = new VirtualNetwork(scheduler, seed);
    SimNode machine = new SimNode("b1", network, seed, WALL_MS, 0);
    SimulatedBroker broker = new SimulatedBroker(machine, network, SYNCING);
    broker.start();
    assertThat(scheduler.runUntil(broker::isReady, LONG_MS)).as("ready").isTrue();
    List<Long> before = new SimulatedProducer(client(network, "c1", seed), network, acks).offsets();
    assertThat(scheduler.runUntil(() -> before.size() == 5 + seed, LONG_MS)).isTrue();
    long last = before.get(before.size() - 1); // both producers go on after it
    broker.powerLoss();

    List<Long> after = new SimulatedProducer(client(network, "c2", seed), network, acks).offsets();
    assertThat(scheduler.runUntil(() -> !after.isEmpty(), LONG_MS)).isTrue();
    assertThat(after.get(0)).as("seed %s", seed).isGreaterThan(last);
    assertThat(broker.failures()).isEmpty();
  }

  private static SimNode client(VirtualNetwork network, String host, long seed) {
    return new SimNode(host, network, seed, WALL_MS, 0);
  }
}
