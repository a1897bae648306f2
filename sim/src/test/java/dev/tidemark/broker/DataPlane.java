package dev.tidemark.broker;

import dev.tidemark.broker.control.LeaderLease;
import dev.tidemark.broker.folder.FolderIdentity;
import dev.tidemark.broker.metrics.RequestMetrics;
import dev.tidemark.broker.replication.ClusterReplication;
import dev.tidemark.broker.replication.ReplicationSettings;
import dev.tidemark.env.Directory;
import dev.tidemark.env.LogLevels;
import dev.tidemark.log.LogId;
import dev.tidemark.metadata.BrokerIncarnation;
import dev.tidemark.metadata.MetadataFeed;
import dev.tidemark.metadata.MetadataView;
import dev.tidemark.metadata.RandomIds;
import dev.tidemark.metadata.Reply;
import dev.tidemark.metadata.TopicConfigs;
import dev.tidemark.protocol.PeerConnection;
import dev.tidemark.replica.PartitionReplica;
import dev.tidemark.sim.DiskFaults;
import dev.tidemark.sim.SimNode;
import dev.tidemark.sim.SimShard;
import dev.tidemark.sim.VirtualDialer;
import dev.tidemark.sim.VirtualNetwork;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.BrokerHeartbeatRequestData;
import org.apache.kafka.common.message.BrokerHeartbeatResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.image.MetadataDelta;
import org.apache.kafka.image.MetadataImage;
import org.jspecify.annotations.Nullable;

/** The data shard of one broker of a simulated cluster, with all that it hosts and answers. */
final class DataPlane {
  static final int PORT = 9092;
  static final String LISTENER = "PLAINTEXT";
  private static final long HEARTBEAT_MS = 500;

  private final int id;
  private final SimNode machine;
  private final VirtualNetwork network;
  private final PlaneController controller;
  private final ReplicationSettings replication;
  private final Map<String, String> properties;
  private final Uuid directoryId;
  private final List<String> failures = new ArrayList<>();
  private Consumer<MetadataView> whileOpening = view -> {};
  private long brokerEpoch = -1;
  private int runs;
  private @Nullable Run run;

  DataPlane(
      int id,
      SimNode machine,
      VirtualNetwork network,
      PlaneController controller,
      ReplicationSettings replication,
      Map<String, String> settings)
      throws IOException {
    this.id = id;
    this.machine = machine;
    this.network = network;
    this.controller = controller;
    this.replication = replication;
    this.properties = new TreeMap<>(settings);
    properties.put("node.id", Integer.toString(id));
    properties.put("log.dirs", "data");
    this.directoryId = new Uuid(id, id);
    Directory directory = machine.disk().root().directory("data");
    directory.create();
    new FolderIdentity("cluster", id, directoryId, FolderIdentity.CURRENT_FORMAT).write(directory);
    controller.onPublished(this::onPublished);
  }

  int id() {
    return id;
  }

  String host() {
    return machine.host();
  }

  List<String> failures() {
    return failures;
  }

  /** The process begins; it serves once it is registered and has opened its logs. */
  void start() {
    runs++;
    Run begun = new Run(machine.newShard("data"));
    run = begun;
    begun.register();
  }

  void kill() {
    run = null;
    machine.kill();
  }

  /** What happens to its metadata while it opens its logs. */
  void whileOpening(Consumer<MetadataView> event) {
    whileOpening = event;
  }

  /** What its disk does wrong. */
  DiskFaults faults() {
    return machine.disk().faults();
  }

  /** The data folder on its disk, which a power loss leaves as it is. */
  Directory folder() {
    return machine.disk().root().directory("data");
  }

  /** What is in the data folder. */
  List<String> folders() throws IOException {
    return machine.disk().root().directory("data").list();
  }

  /** Whether its disk has a folder for partition 0 of a topic. */
  boolean hasFolder(String topic) {
    try {
      return machine.disk().root().directory("data").exists(topic + "-0");
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  void freeze() {
    machine.freeze();
  }

  void wake() {
    machine.wake();
  }

  private Run running() {
    return Objects.requireNonNull(run, machine.host() + " does not run");
  }

  boolean isReady() {
    return run != null && run.ready;
  }

  MetadataImage image() {
    return running().view.image();
  }

  /** Its role in a partition, null if it has none. */
  @Nullable PartitionReplica role(String topic, int partition) {
    return run == null ? null : run.partitions.role(topic, partition);
  }

  private void onPublished(MetadataDelta delta, MetadataImage image) {
    Run current = run;
    if (current != null) {
      current.data.timers().schedule(1, () -> current.take(delta, image));
    }
  }

  /** One life of the process. */
  private final class Run {
    private final SimShard data;
    private final MetadataView view = new MetadataView();
    private final Partitions partitions = new Partitions(view);
    private final HandlerRegistry registry = new HandlerRegistry();
    private boolean follows;
    private boolean ready;

    Run(SimShard data) {
      this.data = data;
    }

    void register() {
      BrokerIncarnation incarnation =
          new BrokerIncarnation(
              id,
              RandomIds.next(data.randomness().fork("incarnation " + runs)),
              List.of(new BrokerIncarnation.Listener(LISTENER, host(), PORT, (short) 0)),
              Optional.of("rack-" + id),
              List.of(directoryId),
              true);
      controller.call(
          data,
          (decider, reply) ->
              decider.registerBroker(MetadataFeed.registration(incarnation, brokerEpoch), reply),
          new Reply<Long>() {
            @Override
            public void succeed(Long epoch) {
              brokerEpoch = epoch;
              begin();
            }

            @Override
            public void fail(Throwable cause) {
              failures.add(String.valueOf(cause));
            }
          });
    }

    void take(MetadataDelta delta, MetadataImage image) {
      if (follows && image.offset() > view.image().offset()) {
        MetadataFeed.publish(view, delta, image);
      }
    }

    private void begin() {
      try {
        beginOrThrow();
      } catch (IOException e) {
        throw new AssertionError(e);
      }
    }

    private void beginOrThrow() throws IOException {
      BrokerSettings settings = BrokerSettings.parse(properties);
      Directory directory = machine.disk().root().directory("data");
      DataFolder folder = DataFolder.load(directory, directoryId, "boot");
      MetadataFeed.begin(view, controller.image());
      follows = true;
      ClusterReplication others =
          new ClusterReplication(
              id, data, view, new VirtualDialer(data), this::send, () -> brokerEpoch, replication);
      HostedLogs logs =
          new HostedLogs(
              id,
              data,
              List.of(folder),
              partitions,
              new TopicConfigs(id, settings.texts(), settings.producerIdExpirationMs()),
              view,
              new ClusterPartitionCalls(id, () -> brokerEpoch, view, this::send),
              others,
              new Owner());
      view.addListener(logs);
      Checkpoints checkpoints = new Checkpoints(partitions, logs, "boot");
      Maintenance maintenance =
          new Maintenance(
              data, partitions, checkpoints, settings.logRetentionCheckIntervalMs(), others);
      logs.openAll(
          view.image(),
          () -> {
            ServingLease lease =
                new ServingLease(
                    LeaderLease.notNeeded(data.clock()), id, data.clock(), data.timers());
            Handlers handlers = new Handlers(settings, data, view, partitions, LogLevels.none());
            handlers.registerRecords(registry, others, lease);
            handlers.registerGroups(registry, lease);
            handlers.registerFolders(registry, logs::logDirs, logs.moves(), others);
            maintenance.start();
            RequestMetrics metrics = new RequestMetrics(data.clock());
            ClientMistakes mistakes = new ClientMistakes(data.clock(), data.timers());
            network.listen(
                data,
                PORT,
                LISTENER,
                connection -> new ClientConnection(connection, registry, metrics, mistakes));
            ready = true;
            heartbeat();
          });
      whileOpening.accept(view);
    }

    private void send(
        ApiKeys api, ApiMessage request, long timeoutMs, PeerConnection.Answer answer) {
      controller.send(data, api, request, answer);
    }

    private void heartbeat() {
      BrokerHeartbeatRequestData request =
          new BrokerHeartbeatRequestData()
              .setBrokerId(id)
              .setBrokerEpoch(brokerEpoch)
              .setCurrentMetadataOffset(view.image().offset());
      controller.call(
          data,
          (decider, reply) -> decider.heartbeat(request, reply),
          new Reply<BrokerHeartbeatResponseData>() {
            @Override
            public void succeed(BrokerHeartbeatResponseData answer) {}

            @Override
            public void fail(Throwable cause) {
              failures.add(String.valueOf(cause));
            }
          });
      data.timers().schedule(HEARTBEAT_MS, this::heartbeat);
    }
  }

  private final class Owner implements HostedLogs.Owner {
    @Override
    public void wentOffline(LogId partition) {
      failures.add(partition + " went offline");
    }

    @Override
    public void cannotGoOn(String why) {
      failures.add(why);
    }
  }
}
