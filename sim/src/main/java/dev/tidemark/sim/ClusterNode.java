package dev.tidemark.sim;

import dev.tidemark.broker.Broker;
import dev.tidemark.broker.BrokerSettings;
import dev.tidemark.broker.NodeControls;
import dev.tidemark.broker.NodeDialers;
import dev.tidemark.broker.folder.DataFolders;
import dev.tidemark.broker.folder.FirstVoters;
import dev.tidemark.env.Directory;
import dev.tidemark.metadata.BrokerIncarnation;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** A node of a cluster, the one that is shipped, as the process of a simulated machine. */
public final class ClusterNode {
  /** Of the listener for clients and other brokers. */
  public static final int PORT = 9092;

  static final int CONTROLLER_PORT = 9093;
  static final String CLUSTER = "cluster";

  private final int id;
  private final SimNode machine;
  private final VirtualNetwork network;
  private final Map<String, String> properties = new TreeMap<>();
  private final List<String> failures = new ArrayList<>();
  private @Nullable Broker broker;
  private int powerLosses;
  private boolean ready;
  private boolean stopped;
  private boolean running;

  /**
   * @param roles process.roles
   * @param controllers ids of the first voters, whose hosts are n1, n2 and so on
   */
  ClusterNode(
      int id,
      SimNode machine,
      VirtualNetwork network,
      String roles,
      List<Integer> controllers,
      FirstVoters voters,
      Map<String, String> more)
      throws IOException {
    this.id = id;
    this.machine = machine;
    this.network = network;
    String host = machine.host();
    List<String> listeners = new ArrayList<>();
    if (roles.contains("broker")) {
      listeners.add("PLAINTEXT://" + host + ":" + PORT);
    }
    if (roles.contains("controller")) {
      listeners.add("CONTROLLER://" + host + ":" + CONTROLLER_PORT);
    }
    properties.put("process.roles", roles);
    properties.put("node.id", String.valueOf(id));
    properties.put("log.dirs", "data");
    properties.put("listeners", String.join(",", listeners));
    properties.put("controller.listener.names", "CONTROLLER");
    properties.put(
        "controller.quorum.bootstrap.servers",
        String.join(
            ",", controllers.stream().map(one -> "n" + one + ":" + CONTROLLER_PORT).toList()));
    properties.putAll(more);
    DataFolders.format(
        List.of(folder()),
        CLUSTER,
        id,
        roles.contains("controller") ? voters : new FirstVoters.Unknown(),
        new SeededRandomness(id).fork(host),
        machine.clock());
  }

  public int id() {
    return id;
  }

  public String host() {
    return machine.host();
  }

  /** Where its data lie. */
  public Directory folder() {
    return machine.disk().root().directory("data");
  }

  /** Starts the process; it is ready some virtual time later. */
  public void start() {
    ready = false;
    stopped = false;
    running = true;
    SimShard data = machine.newShard("shard-0");
    SimShard control = machine.newShard("control");
    BrokerSettings settings = BrokerSettings.parse(properties);
    Broker started =
        new Broker(
            settings,
            data,
            control,
            List.of(folder()),
            failures::add,
            "boot " + powerLosses,
            NodeControls.none(),
            new NodeDialers(new VirtualDialer(data), new VirtualDialer(control)));
    broker = started;
    if (settings.cluster().isController()) {
      started.whenControllerServes(
          () ->
              network.listen(control, CONTROLLER_PORT, "CONTROLLER", started.controllerAcceptor()));
    }
    started.start(
        settings.cluster().isBroker() ? List.of(address("PLAINTEXT", PORT)) : List.of(),
        settings.cluster().isController()
            ? List.of(address("CONTROLLER", CONTROLLER_PORT))
            : List.of(),
        new Broker.Outcome() {
          @Override
          public void onDone() {
            network.listen(data, PORT, "PLAINTEXT", started.acceptor());
            ready = true;
          }

          @Override
          public void onFailed(Throwable cause) {
            failures.add(String.valueOf(cause));
          }
        });
  }

  private BrokerIncarnation.Listener address(String name, int port) {
    return new BrokerIncarnation.Listener(name, machine.host(), port, (short) 0);
  }

  /** As by kill -9. */
  public void kill() {
    running = false;
    ready = false;
    machine.kill();
  }

  /** The machine loses power, and has it again with the next start. */
  public void powerLoss() {
    running = false;
    ready = false;
    powerLosses++;
    machine.powerLoss();
  }

  /** In order, as a process does it. */
  public void stop() {
    Broker stopping = broker;
    if (stopping == null) {
      throw new IllegalStateException("the node was not started");
    }
    stopping.leave(
        new Broker.Outcome() {
          @Override
          public void onDone() {
            stopping.stop(new Stopped());
          }

          @Override
          public void onFailed(Throwable cause) {
            failures.add(String.valueOf(cause));
          }
        });
  }

  /** Notes the end. */
  private final class Stopped implements Broker.Outcome {
    @Override
    public void onDone() {
      stopped = true;
      running = false;
      ready = false;
      machine.exited();
    }

    @Override
    public void onFailed(Throwable cause) {
      failures.add(String.valueOf(cause));
    }
  }

  /** Whether it has started and serves clients. */
  public boolean isReady() {
    return ready;
  }

  /** Whether it has a process. */
  public boolean isRunning() {
    return running;
  }

  /** Whether its last stop has ended. */
  public boolean isStopped() {
    return stopped;
  }

  /** What ended a process that should have gone on. */
  public List<String> failures() {
    return failures;
  }

  public SimNode machine() {
    return machine;
  }
}
