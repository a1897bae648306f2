package dev.tidemark.sim;

import dev.tidemark.broker.Broker;
import dev.tidemark.broker.BrokerSettings;
import dev.tidemark.broker.folder.DataFolders;
import dev.tidemark.env.Directory;
import dev.tidemark.metadata.BrokerIncarnation;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The broker that is shipped, as the process of a simulated machine. */
final class SimulatedBroker {
  static final int PORT = 9092;

  private final SimNode node;
  private final VirtualNetwork network;
  private final Map<String, String> properties;
  private final List<String> failures = new ArrayList<>();
  private int powerLosses;
  private boolean ready;

  SimulatedBroker(SimNode node, VirtualNetwork network) throws IOException {
    this(node, network, Map.of());
  }

  /** With settings of its own. */
  SimulatedBroker(SimNode node, VirtualNetwork network, Map<String, String> settings)
      throws IOException {
    this.node = node;
    this.network = network;
    this.properties = new TreeMap<>(settings);
    properties.put("node.id", "1");
    properties.put("log.dirs", "data");
    DataFolders.format(
        List.of(folder()), "cluster", 1, new SeededRandomness(1).fork(node.host()), node.clock());
  }

  private Directory folder() {
    return node.disk().root().directory("data");
  }

  void start() {
    ready = false;
    SimShard data = node.newShard("shard-0");
    SimShard control = node.newShard("control");
    BrokerSettings settings = BrokerSettings.parse(properties);
    Broker broker =
        new Broker(
            settings, data, control, List.of(folder()), failures::add, "boot " + powerLosses);
    broker.start(
        List.of(new BrokerIncarnation.Listener("PLAINTEXT", node.host(), PORT, (short) 0)),
        new Broker.Outcome() {
          @Override
          public void onDone() {
            network.listen(data, PORT, "PLAINTEXT", broker.acceptor());
            ready = true;
          }

          @Override
          public void onFailed(Throwable cause) {
            failures.add(String.valueOf(cause));
          }
        });
  }

  void kill() {
    node.kill();
    start();
  }

  void powerLoss() {
    powerLosses++;
    node.powerLoss();
    start();
  }

  boolean isReady() {
    return ready;
  }

  List<String> failures() {
    return failures;
  }
}
