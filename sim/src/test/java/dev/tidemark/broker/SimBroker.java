package dev.tidemark.broker;

import dev.tidemark.broker.folder.DataFolders;
import dev.tidemark.env.Directory;
import dev.tidemark.metadata.BrokerIncarnation;
import dev.tidemark.replica.PartitionLeader;
import dev.tidemark.sim.SeededRandomness;
import dev.tidemark.sim.VirtualClock;
import dev.tidemark.sim.VirtualDisk;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.apache.kafka.common.requests.AbstractRequest;
import org.apache.kafka.common.requests.AbstractResponse;

/** A whole broker on a virtual disk and a virtual clock, spoken to in frames. */
final class SimBroker {
  private final VirtualDisk disk;
  private final VirtualClock clock;
  private final SimShard data;
  private final SimShard control;
  private final Broker broker;

  private final List<String> folders;
  private final Map<String, String> properties;
  private final List<String> lastWords = new ArrayList<>();

  private SimBroker(
      VirtualDisk disk, VirtualClock clock, List<String> folders, Map<String, String> properties) {
    this.folders = folders;
    this.properties = properties;
    this.disk = disk;
    this.clock = clock;
    // Another run must not draw the ids of the one before.
    long run = disk.faults().changes();
    this.data = new SimShard(clock, 2 * run);
    this.control = new SimShard(clock, 2 * run + 1);
    Map<String, String> all = new TreeMap<>(properties);
    all.put("node.id", "1");
    all.put("log.dirs", String.join(",", folders));
    all.put("log.segment.delete.delay.ms", "100");
    BrokerSettings settings = BrokerSettings.parse(all);
    this.broker =
        new Broker(
            settings,
            data,
            control,
            directories(disk, folders),
            lastWords::add,
            "boot " + disk.powerLosses());
  }

  private static List<Directory> directories(VirtualDisk disk, List<String> folders) {
    return folders.stream().map(name -> disk.root().directory(name)).toList();
  }

  /** Formats the disk and starts a broker on it. */
  static SimBroker formatted(VirtualDisk disk, VirtualClock clock) throws IOException {
    return formatted(disk, clock, List.of("data"));
  }

  /** Formats the disk and starts a broker with these settings on it. */
  static SimBroker formatted(VirtualDisk disk, VirtualClock clock, Map<String, String> properties)
      throws IOException {
    return formatted(disk, clock, List.of("data"), properties);
  }

  /** Formats several folders and starts a broker on them. */
  static SimBroker formatted(VirtualDisk disk, VirtualClock clock, List<String> folders)
      throws IOException {
    return formatted(disk, clock, folders, Map.of());
  }

  private static SimBroker formatted(
      VirtualDisk disk, VirtualClock clock, List<String> folders, Map<String, String> properties)
      throws IOException {
    DataFolders.format(
        directories(disk, folders), "cluster", 1, new SeededRandomness(folders.size()), clock);
    return started(disk, clock, folders, properties);
  }

  /** Why the broker has to stop; empty as long as it can go on. */
  List<String> lastWords() {
    return lastWords;
  }

  /** Starts a broker on what the disk holds. */
  static SimBroker started(VirtualDisk disk, VirtualClock clock) {
    return started(disk, clock, List.of("data"));
  }

  /** Starts a broker on these folders of the disk. */
  static SimBroker started(VirtualDisk disk, VirtualClock clock, List<String> folders) {
    return started(disk, clock, folders, Map.of());
  }

  private static SimBroker started(
      VirtualDisk disk, VirtualClock clock, List<String> folders, Map<String, String> properties) {
    SimBroker started = new SimBroker(disk, clock, folders, properties);
    List<Throwable> ends = new ArrayList<>();
    boolean[] ready = {false};
    started.broker.start(
        List.of(new BrokerIncarnation.Listener("PLAINTEXT", "localhost", 9092, (short) 0)),
        outcome(ready, ends));
    started.runAll();
    if (!ready[0]) {
      throw new AssertionError("the broker did not start: " + ends);
    }
    return started;
  }

  private static Broker.Outcome outcome(boolean[] done, List<Throwable> failures) {
    return new Broker.Outcome() {
      @Override
      public void onDone() {
        done[0] = true;
      }

      @Override
      public void onFailed(Throwable cause) {
        failures.add(cause);
      }
    };
  }

  /** The process ends as by kill -9; a new one starts. */
  SimBroker killedAndStarted() {
    disk.processKill();
    return started(disk, clock, folders, properties);
  }

  /** The machine loses power; the seed decides what is left of the unsynced. */
  SimBroker afterPowerLoss(long seed) {
    disk.powerLoss(seed);
    return started(disk, clock, folders, properties);
  }

  /** The broker stops in order; a new one starts. */
  SimBroker stoppedAndStarted() {
    stop();
    return started(disk, clock, folders, properties);
  }

  /** The broker stops in order. */
  void stop() {
    boolean[] done = {false};
    broker.stop(outcome(done, new ArrayList<>()));
    runAll();
    requireStopped(done);
  }

  /** The same; {@code meanwhile} happens before its logs are closed. */
  void stop(Runnable meanwhile) {
    boolean[] done = {false};
    hold(PartitionLeader.SYNCS);
    broker.stop(outcome(done, new ArrayList<>()));
    runAll();
    meanwhile.run();
    release();
    requireStopped(done);
  }

  private static void requireStopped(boolean[] done) {
    if (!done[0]) {
      throw new AssertionError("the broker did not stop");
    }
  }

  /** How often periodic work looked at a partition. */
  long visits() {
    return broker.visits();
  }

  /** Lets time pass; timers run. */
  void advanceMs(long ms) {
    for (long passed = 0; passed < ms; passed += 100) {
      clock.advanceMs(Math.min(100, ms - passed));
      data.virtualTimers().advanceMs(0);
      control.virtualTimers().advanceMs(0);
      runAll();
    }
  }

  private void runAll() {
    while (runNext()) {
      // until all is quiet
    }
  }

  /** Slow work of queues whose name begins so waits until {@link #release}. */
  void hold(String queue) {
    data.hold(queue);
  }

  /** What was held is done. */
  void release() {
    data.release();
    runAll();
  }

  /** How many timers wait on the data shard. */
  int timers() {
    return data.virtualTimers().size();
  }

  /** The role of this node in a partition that it hosts. */
  PartitionLeader leader(String topic) {
    return Objects.requireNonNull(broker.hosted(topic, 0));
  }

  /** Sends a request on a new connection; the answer may come later. */
  SimExchange send(AbstractRequest request) {
    SimExchange exchange = new SimExchange(broker.acceptor(), request);
    runAll();
    return exchange;
  }

  /** Runs the next event of each shard; false when there is none. */
  boolean runNext() {
    boolean more = control.runNext();
    more |= data.runNext();
    return more;
  }

  /** Sends a request whose answer nobody waits for; what it leads to runs with the next events. */
  void post(AbstractRequest request) {
    SimExchange unused = new SimExchange(broker.acceptor(), request);
  }

  /** Sends a request on a new connection; the answer has to come without time passing. */
  <R extends AbstractResponse> R call(AbstractRequest request, Class<R> type) {
    return send(request).answer(type);
  }
}
