package dev.tidemark.metadata;

import dev.tidemark.quorum.QuorumConnection;
import dev.tidemark.quorum.QuorumSettings;
import dev.tidemark.quorum.RaftMetadataLog;
import dev.tidemark.sim.SimNode;
import dev.tidemark.sim.SimShard;
import dev.tidemark.sim.VirtualDialer;
import dev.tidemark.sim.VirtualNetwork;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.function.Consumer;
import org.apache.kafka.image.MetadataImage;

/** A controller on a simulated machine, with its own log on kafka-raft. */
final class ControllerNode {
  static final int PORT = 9093;
  static final String LISTENER = "CONTROLLER";
  static final String CLUSTER = "cluster";

  private final SimNode machine;
  private final VirtualNetwork network;
  private final QuorumSettings settings;
  private MetadataView view = new MetadataView();
  private List<MetadataImage> images = new ArrayList<>();
  private SimShard control;
  private RaftMetadataLog log;
  private Controller controller;
  private boolean isRunning;

  ControllerNode(SimNode machine, VirtualNetwork network, QuorumSettings settings) {
    this.machine = machine;
    this.network = network;
    this.settings = settings;
    control = machine.newShard("control");
    log = newLog();
    controller = newController();
  }

  int id() {
    return settings.nodeId();
  }

  private RaftMetadataLog newLog() {
    return new RaftMetadataLog(
        machine.disk().root().directory("data"), settings, control, new VirtualDialer(control));
  }

  private Controller newController() {
    return new Controller(
        log,
        view,
        control,
        machine.newShard("data"),
        new ControllerSettings(id(), 1, OptionalInt.empty(), true, Map.of()),
        new BrokerControlSettings(CLUSTER, 9_000, true, true, 300_000),
        BrokerProbe.none());
  }

  void start() {
    view = new MetadataView();
    List<MetadataImage> seen = new ArrayList<>();
    images = seen;
    view.addListener((delta, image) -> seen.add(image));
    control = machine.newShard("control");
    log = newLog();
    controller = newController();
    isRunning = true;
    RaftMetadataLog started = log;
    Controller starting = controller;
    SimShard shard = control;
    shard.execute(
        () -> {
          network.listen(shard, PORT, LISTENER, QuorumConnection.acceptor(started));
          try {
            starting.start();
          } catch (IOException e) {
            throw new AssertionError(e);
          }
        });
  }

  void kill() {
    machine.kill();
    isRunning = false;
  }

  boolean isRunning() {
    return isRunning;
  }

  boolean isActive() {
    return isRunning && log.state().leaderId() == id();
  }

  void call(Consumer<Controller> event) {
    Controller current = controller;
    control.execute(() -> event.accept(current));
  }

  /** The metadata as this node has published them. */
  MetadataImage image() {
    return view.image();
  }

  /** All that was published in this life, in order. */
  List<MetadataImage> images() {
    return images;
  }
}
