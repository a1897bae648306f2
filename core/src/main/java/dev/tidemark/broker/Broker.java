package dev.tidemark.broker;

import static java.util.Objects.requireNonNull;

import dev.tidemark.broker.control.BrokerLife;
import dev.tidemark.broker.control.LeaderLease;
import dev.tidemark.broker.folder.DataFolders;
import dev.tidemark.broker.folder.FolderIdentity;
import dev.tidemark.broker.metrics.RequestMetrics;
import dev.tidemark.broker.replication.ClusterReplication;
import dev.tidemark.broker.replication.Replication;
import dev.tidemark.env.Connection;
import dev.tidemark.env.Dialer;
import dev.tidemark.env.Directory;
import dev.tidemark.env.Shard;
import dev.tidemark.log.LogId;
import dev.tidemark.log.PartitionLog;
import dev.tidemark.metadata.BrokerIncarnation;
import dev.tidemark.metadata.Controller;
import dev.tidemark.metadata.ControllerCalls;
import dev.tidemark.metadata.MetadataView;
import dev.tidemark.metadata.RandomIds;
import dev.tidemark.metadata.Reply;
import dev.tidemark.metadata.TopicConfigs;
import dev.tidemark.replica.PartitionLeader;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.apache.kafka.common.Uuid;
import org.jspecify.annotations.Nullable;

/**
 * A node: controller and broker over the shards and folders it is given. It is started once and
 * stopped once; whoever owns it drops it after either has failed.
 *
 * <p>The control shard owns the metadata log and decides; the data shard owns connections,
 * partitions and the view of metadata. Files of partitions are opened, synced and closed in the
 * data shard's background.
 */
public final class Broker {
  private final BrokerSettings settings;
  private final Shard data;
  private final Shard control;
  private final List<Directory> directories;
  private final Consumer<String> whenItCannotGoOn;
  private final String bootId;
  private final MetadataView view = new MetadataView();
  private final Partitions partitions = new Partitions(view);
  private final TopicConfigs topicConfigs;
  private final HandlerRegistry registry = new HandlerRegistry();
  private final RequestMetrics requestMetrics;
  private final Handlers handlers;
  private final LiveSettings live;
  private final ClientMistakes mistakes;
  private final ClusterSettings cluster;
  private final ControlSide controlSide;
  private final Dialer dialer;
  private Runnable whenControllerServes = () -> {};
  private @Nullable Membership membership;
  private @Nullable HostedLogs logs;
  private @Nullable Maintenance maintenance;
  private @Nullable Checkpoints checkpoints;
  private @Nullable LogCleaner cleaner;

  /** How a start or a stop ended; called once, on the data shard. */
  public interface Outcome {
    void onDone();

    void onFailed(Throwable cause);
  }

  /**
   * @param data the shard of connections and partitions
   * @param control the shard of the metadata log, which may block
   * @param directories the folders of {@code log.dirs}, formatted; the first holds the metadata log
   * @param whenItCannotGoOn called on the data shard when a disk fails that the node cannot do
   *     without, with the reason in one line; the node is to be stopped then
   * @param bootId tells one run of the machine's kernel from another; empty when nothing does
   */
  public Broker(
      BrokerSettings settings,
      Shard data,
      Shard control,
      List<Directory> directories,
      Consumer<String> whenItCannotGoOn,
      String bootId) {
    this(
        settings,
        data,
        control,
        directories,
        whenItCannotGoOn,
        bootId,
        NodeControls.none(),
        NodeDialers.none(data, control));
  }

  /**
   * The same for a node with a process of its own.
   *
   * @param controls what its configs change in that process
   * @param dialers how it calls other nodes
   */
  public Broker(
      BrokerSettings settings,
      Shard data,
      Shard control,
      List<Directory> directories,
      Consumer<String> whenItCannotGoOn,
      String bootId,
      NodeControls controls,
      NodeDialers dialers) {
    this.cluster = settings.cluster();
    this.dialer = dialers.data();
    this.controlSide = new ControlSide(settings, view, data, control, dialers.control());
    this.whenItCannotGoOn = whenItCannotGoOn;
    this.settings = settings;
    this.data = data;
    this.control = control;
    this.directories = List.copyOf(directories);
    this.bootId = bootId;
    this.topicConfigs =
        new TopicConfigs(settings.nodeId(), settings.texts(), settings.producerIdExpirationMs());
    this.requestMetrics = new RequestMetrics(data.clock());
    this.mistakes = new ClientMistakes(data.clock(), data.timers());
    this.handlers = new Handlers(settings, data, view, partitions, controls.logLevels());
    this.live = new LiveSettings(settings, controls.connectionBounds());
  }

  /** How often periodic work looked at a partition so far; on the data shard. */
  long visits() {
    Maintenance running = maintenance;
    LogCleaner compacting = cleaner;
    return (running == null ? 0 : running.visits())
        + (compacting == null ? 0 : compacting.visits());
  }

  /** The role of this node in a partition, null if it is not hosted here; on the data shard. */
  @Nullable PartitionLeader hosted(String topic, int partition) {
    return partitions.find(topic, partition);
  }

  /** Whom the transport asks for each new connection; to be used once the start is done. */
  public Connection.Acceptor acceptor() {
    return connection -> new ClientConnection(connection, registry, requestMetrics, mistakes);
  }

  /** What this node tells of itself; to be asked on the data shard, once the start is done. */
  public NodeMetrics metrics() {
    return new NodeMetrics(
        partitions, view, requestMetrics, requireNonNull(logs, "the broker has not started"));
  }

  /**
   * Whom the transport asks for each new connection to the controllers' listener, on the control
   * shard; to be used once {@link #whenControllerServes} says so.
   */
  public Connection.Acceptor controllerAcceptor() {
    return controlSide.acceptor();
  }

  /**
   * What to do, on the control shard, when the controller can be called: other nodes must be able
   * to before the start of this one is done. To be set before the start.
   */
  public void whenControllerServes(Runnable action) {
    whenControllerServes = action;
  }

  /** Starts a node that is a whole cluster, or only a broker. */
  public void start(List<BrokerIncarnation.Listener> advertised, Outcome outcome) {
    start(advertised, List.of(), outcome);
  }

  /**
   * Starts the node: folders are checked, the metadata log is opened, the broker registers, its
   * logs are opened. In a cluster the start is done when the controller lets the broker lead.
   *
   * @param advertised the addresses clients are told, with their real ports
   * @param advertisedController the addresses of this node's controller
   */
  public void start(
      List<BrokerIncarnation.Listener> advertised,
      List<BrokerIncarnation.Listener> advertisedController,
      Outcome outcome) {
    control.execute(
        () -> {
          try {
            startControl(advertised, advertisedController, outcome);
          } catch (IOException | RuntimeException e) {
            data.execute(() -> outcome.onFailed(e));
          }
        });
  }

  private void startControl(
      List<BrokerIncarnation.Listener> advertised,
      List<BrokerIncarnation.Listener> advertisedController,
      Outcome outcome)
      throws IOException {
    List<FolderIdentity> identities = DataFolders.load(directories, settings.nodeId());
    DataFolders.requireMetadataLog(directories);
    List<DataFolder> folders = new ArrayList<>();
    for (int i = 0; i < directories.size(); i++) {
      folders.add(DataFolder.load(directories.get(i), identities.get(i).directoryId(), bootId));
    }
    FolderIdentity first = identities.get(0);
    controlSide.open(directories.get(0), first, advertisedController);
    whenControllerServes.run();
    if (!cluster.isBroker()) {
      data.execute(outcome::onDone);
      return;
    }
    BrokerIncarnation incarnation =
        new BrokerIncarnation(
            settings.nodeId(),
            RandomIds.next(control.randomness()),
            advertised,
            settings.rack(),
            identities.stream().map(FolderIdentity::directoryId).toList(),
            folders.stream()
                .allMatch(
                    folder -> folder.cleanStop() || (!cluster.isAlone() && folder.isSameBoot())));
    if (cluster.isAlone()) {
      registerAlone(incarnation, folders, first.clusterId(), outcome);
    } else {
      data.execute(() -> join(incarnation, folders, first.clusterId(), outcome));
    }
  }

  /** The controller in this process decides, so the broker sends no heartbeats. */
  private void registerAlone(
      BrokerIncarnation incarnation, List<DataFolder> folders, String clusterId, Outcome outcome) {
    Controller controller = controlSide.controller();
    controller.registerBroker(
        incarnation,
        new Reply<>() {
          @Override
          public void succeed(Long brokerEpoch) {
            data.execute(
                () -> {
                  ControllerCalls calls = new ControllerCalls(controller, control, data);
                  startData(
                      ControllerAccess.alone(calls, settings.nodeId(), brokerEpoch),
                      folders,
                      clusterId,
                      outcome::onDone,
                      outcome);
                });
          }

          @Override
          public void fail(Throwable cause) {
            data.execute(() -> outcome.onFailed(cause));
          }
        });
  }

  private void join(
      BrokerIncarnation incarnation, List<DataFolder> folders, String clusterId, Outcome outcome) {
    view.keepDeletions();
    Joining joining = new Joining(folders, clusterId, outcome);
    Membership joined =
        new Membership(
            settings,
            clusterId,
            incarnation,
            controlSide.known(),
            new ControllerCalls(controlSide.controller(), control, data),
            controlSide.quorumFromData(),
            view,
            data,
            dialer,
            joining);
    membership = joined;
    joined.life().start();
  }

  /** The start of a broker in a cluster, as its life goes on. */
  private final class Joining implements BrokerLife.Owner {
    private final List<DataFolder> folders;
    private final String clusterId;
    private final Outcome outcome;

    Joining(List<DataFolder> folders, String clusterId, Outcome outcome) {
      this.folders = folders;
      this.clusterId = clusterId;
      this.outcome = outcome;
    }

    @Override
    public void onRegistered() {
      Membership joined = requireNonNull(membership);
      startData(joined, folders, clusterId, joined.life()::onLoaded, outcome);
    }

    @Override
    public void onUnfenced() {
      outcome.onDone();
    }

    @Override
    public void onFailed(Throwable cause) {
      outcome.onFailed(cause);
    }
  }

  private void startData(
      ControllerAccess access,
      List<DataFolder> folders,
      String clusterId,
      Runnable whenOpen,
      Outcome outcome) {
    ControllerCalls calls = access.here();
    Replication replication = replication();
    HostedLogs hosted =
        new HostedLogs(
            settings.nodeId(),
            data,
            folders,
            partitions,
            topicConfigs,
            view,
            partitionCalls(calls),
            replication,
            new DiskOwner());
    calls.onStorageFailure(hosted::suspectMetadataFolder);
    logs = hosted;
    Membership joined = membership;
    LeaderLease held = LeaderLease.notNeeded(data.clock());
    if (joined != null) {
      joined.life().offlineFolders(hosted::offlineFolderIds);
      held = joined.lease();
    }
    ServingLease lease = new ServingLease(held, settings.nodeId(), data.clock(), data.timers());
    partitions.serveWhile(lease::isHeld);
    view.addListener(hosted);
    view.addListener(lease); // after the roles have changed
    Checkpoints known = new Checkpoints(partitions, hosted, bootId);
    checkpoints = known;
    Maintenance started =
        new Maintenance(
            data, partitions, known, settings.logRetentionCheckIntervalMs(), replication);
    maintenance = started;
    LogCleaner compacting = new LogCleaner(data, partitions, hosted, CleanerSettings.of(settings));
    cleaner = compacting;
    live.onCleanerSettings(compacting::onSettings);
    live.apply(view.image());
    view.addListener(live);
    hosted.openAll(
        view.image(),
        () -> {
          try {
            handlers.register(
                registry,
                access,
                new Handlers.Self(
                    clusterId,
                    new FolderRoom(settings.nodeId(), hosted::logDirs, hosted::suspectFolders),
                    hosted::logDirs,
                    hosted.moves(),
                    replication,
                    lease));
            started.start();
            compacting.start();
            whenOpen.run();
          } catch (RuntimeException e) {
            outcome.onFailed(e);
          }
        });
  }

  private Replication replication() {
    Membership joined = membership;
    return joined == null
        ? Replication.alone(settings.nodeId(), data)
        : new ClusterReplication(
            settings.nodeId(),
            data,
            view,
            dialer,
            joined.requests(),
            joined.life()::brokerEpoch,
            settings.replication(cluster.interBrokerListener()));
  }

  private LedPartitionCalls partitionCalls(ControllerCalls here) {
    Membership joined = membership;
    return joined == null
        ? new LedPartitions(here)
        : new ClusterPartitionCalls(
            settings.nodeId(), joined.life()::brokerEpoch, view, joined.requests());
  }

  private final class LedPartitions implements LedPartitionCalls {
    private final ControllerCalls calls;

    LedPartitions(ControllerCalls calls) {
      this.calls = calls;
    }

    @Override
    public void renew(LogId id, Reply<Integer> reply) {
      calls.call(
          (decider, answer) ->
              decider.renewLeadership(id.topicId(), id.partition(), settings.nodeId(), answer),
          reply);
    }

    @Override
    public void assign(LogId id, Uuid directoryId, Reply<Uuid> reply) {
      calls.call(
          (decider, answer) ->
              decider.assignDirectory(
                  id.topicId(), id.partition(), settings.nodeId(), directoryId, answer),
          reply);
    }
  }

  private final class DiskOwner implements HostedLogs.Owner {
    @Override
    public void wentOffline(LogId id) {
      handlers.wentOffline(id);
    }

    @Override
    public void cannotGoOn(String why) {
      whenItCannotGoOn.accept(why);
    }
  }

  /**
   * Stops the node in order: nothing more is answered, logs are synced and closed, the folders are
   * marked as clean. The transport is stopped by its owner, before or after.
   */
  public void stop(Outcome outcome) {
    data.execute(() -> stopData(outcome));
  }

  private void stopData(Outcome outcome) {
    if (membership != null) {
      membership.life().end();
    }
    Maintenance running = maintenance;
    HostedLogs hosted = logs;
    Checkpoints known = checkpoints;
    if (running == null || hosted == null || known == null) {
      stopControl(outcome);
      return;
    }
    running.stop();
    if (cleaner != null) {
      cleaner.stop();
    }
    List<PartitionLog> unclean = hosted.stop();
    handlers.stop();
    List<PartitionLog> open = new ArrayList<>();
    partitions.forEach(
        partition -> {
          partition.stop();
          open.add(partition.log());
        });
    // The logs change hands, so the shard must have heard of the end of each sync before.
    CleanStop closing = new CleanStop(data, partitions, hosted, known, () -> stopControl(outcome));
    hosted.afterSyncs(() -> closing.close(open, unclean));
  }

  /**
   * Lets others take over what this broker leads; to be called before the stop, while clients and
   * other brokers still reach this node. Done as well when nobody takes over in time.
   */
  public void leave(Outcome outcome) {
    data.execute(
        () -> {
          Membership joined = membership;
          if (joined == null) {
            outcome.onDone();
          } else {
            joined.life().leave(outcome::onDone);
          }
        });
  }

  private void stopControl(Outcome outcome) {
    Membership joined = membership;
    if (joined != null) {
      joined.close();
    }
    control.execute(
        () ->
            controlSide.close(
                failure ->
                    data.execute(
                        () -> {
                          if (failure == null) {
                            outcome.onDone();
                          } else {
                            outcome.onFailed(failure);
                          }
                        })));
  }
}
