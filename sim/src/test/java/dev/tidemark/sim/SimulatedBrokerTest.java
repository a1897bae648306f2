package dev.tidemark.sim;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A whole broker and its clients in virtual time, over a virtual network. */
class SimulatedBrokerTest {
  private static final long WALL_MS = 1_700_000_000_000L;

  private final List<String> lines = new ArrayList<>();

  /** Two producers, a kill and a cut; what was acknowledged, in the order of the producers. */
  private long run(long seed, List<List<Long>> acknowledged) throws IOException {
    Scheduler scheduler = new Scheduler(new Trace(lines::add));
    VirtualNetwork network = new VirtualNetwork(scheduler, seed);
    SimNode machine = new SimNode("b1", network, seed, WALL_MS, 0);
    SimulatedBroker broker = new SimulatedBroker(machine, network);
    broker.start();
    assertThat(scheduler.runUntil(broker::isReady, 10_000)).as("ready").isTrue();
    SimNode c1 = new SimNode("c1", network, seed, WALL_MS, 100);
    SimNode c2 = new SimNode("c2", network, seed, WALL_MS, -100);
    SimulatedProducer first = new SimulatedProducer(c1, network, "b1", "t");
    SimulatedProducer second = new SimulatedProducer(c2, network, "b1", "t");
    scheduler.runForMs(300);
    broker.kill();
    scheduler.runForMs(300);
    network.cut("c1", "b1");
    int before = second.offsets().size();
    scheduler.runForMs(300);
    assertThat(second.offsets().size()).as("the other client goes on").isGreaterThan(before);
    network.heal();
    scheduler.runForMs(300);
    assertThat(broker.failures()).isEmpty();
    acknowledged.add(first.offsets());
    acknowledged.add(second.offsets());
    return scheduler.trace().hash();
  }

  @Test
  void producersGoOnAfterAKillAndACutAndOffsetsAreToldOnce() throws IOException {
    List<List<Long>> acknowledged = new ArrayList<>();
    long unused = run(1, acknowledged);
    assertThat(acknowledged.get(0)).hasSizeGreaterThan(100).isSorted();
    assertThat(acknowledged.get(1)).hasSizeGreaterThan(100).isSorted();
    List<Long> all = new ArrayList<>(acknowledged.get(0));
    all.addAll(acknowledged.get(1));
    assertThat(all).doesNotHaveDuplicates();
  }

  @Test
  void theSameSeedGivesTheSameRunAndAnotherOneAnother() throws IOException {
    long hash = run(1, new ArrayList<>());
    List<String> firstRun = List.copyOf(lines);
    lines.clear();
    long again = run(1, new ArrayList<>());
    assertThat(lines).isEqualTo(firstRun);
    assertThat(again).isEqualTo(hash);
    assertThat(run(2, new ArrayList<>())).isNotEqualTo(hash);
  }
}
