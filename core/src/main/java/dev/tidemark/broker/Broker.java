package dev.tidemark.broker;

import static java.util.Objects.requireNonNull;

import dev.tidemark.broker.folder.DataFolders;
import dev.tidemark.broker.folder.FolderIdentity;
import dev.tidemark.broker.metrics.RequestMetrics;
import dev.tidemark.broker.replication.Replication;
import dev.tidemark.env.Connection;
import dev.tidemark.env.Directory;
import dev.tidemark.env.Shard;
import dev.tidemark.log.LogId;
import dev.tidemark.log.PartitionLog;
import dev.tidemark.metadata.BrokerIncarnation;
import dev.tidemark.metadata.Controller;
import dev.tidemark.metadata.ControllerCalls;
import dev.tidemark.metadata.ControllerSettings;
import dev.tidemark.metadata.MetadataView;
import dev.tidemark.metadata.RandomIds;
import dev.tidemark.metadata.Reply;
import dev.tidemark.metadata.TopicConfigs;
import dev.tidemark.quorum.MetadataLog;
import dev.tidemark.quorum.SingleVoterLog;
import dev.tidemark.replica.PartitionLeader;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.apache.kafka.common.Uuid;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A node: controller and broker over the shards and folders it is given. It is started once and
 * stopped once; whoever owns it drops it after either has failed.
 *
 * <p>The control shard owns the metadata log and decides; the data shard owns connections,
 * partitions and the view of metadata. Files of partitions are opened, synced and closed in the
 * data shard's background.
 */
public final class Broker {
  private static final Logger LOG = LoggerFactory.getLogger(Broker.class);

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
  private @Nullable MetadataLog metadataLog;
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
    this(settings, data, control, directories, whenItCannotGoOn, bootId, NodeControls.none());
  }

  /** The same with {@code controls}: what its configs change in the process around it. */
  public Broker(
      BrokerSettings settings,
      Shard data,
      Shard control,
      List<Directory> directories,
      Consumer<String> whenItCannotGoOn,
      String bootId,
      NodeControls controls) {
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
   * Starts the node: folders are checked, the metadata log is replayed, the broker registers, its
   * logs are opened.
   *
   * @param advertised the addresses clients are told, with their real ports
   */
  public void start(List<BrokerIncarnation.Listener> advertised, Outcome outcome) {
    control.execute(
        () -> {
          try {
            startControl(advertised, outcome);
          } catch (IOException | RuntimeException e) {
            data.execute(() -> outcome.onFailed(e));
          }
        });
  }

  private void startControl(List<BrokerIncarnation.Listener> advertised, Outcome outcome)
      throws IOException {
    List<FolderIdentity> identities = DataFolders.load(directories, settings.nodeId());
    DataFolders.requireMetadataLog(directories);
    List<DataFolder> folders = new ArrayList<>();
    for (int i = 0; i < directories.size(); i++) {
      folders.add(DataFolder.load(directories.get(i), identities.get(i).directoryId(), bootId));
    }
    FolderIdentity first = identities.get(0);
    MetadataLog log =
        new SingleVoterLog(
            directories.get(0),
            settings.nodeId(),
            first.directoryId(),
            control.clock(),
            settings.metadataSnapshots());
    Controller controller = new Controller(log, view, control, data, controllerSettings());
    controller.start();
    List<Uuid> directoryIds = identities.stream().map(FolderIdentity::directoryId).toList();
    BrokerIncarnation incarnation =
        new BrokerIncarnation(
            settings.nodeId(),
            RandomIds.next(control.randomness()),
            advertised,
            settings.rack(),
            directoryIds,
            folders.stream().allMatch(DataFolder::cleanStop));
    controller.registerBroker(
        incarnation,
        new Reply<>() {
          @Override
          public void succeed(Long brokerEpoch) {
            data.execute(
                () -> startData(log, controller, folders, first.clusterId(), brokerEpoch, outcome));
          }

          @Override
          public void fail(Throwable cause) {
            data.execute(() -> outcome.onFailed(cause));
          }
        });
  }

  private ControllerSettings controllerSettings() {
    return new ControllerSettings(
        settings.nodeId(),
        settings.numPartitions(),
        settings.defaultReplicationFactor(),
        settings.deleteTopicEnable(),
        settings.texts());
  }

  private void startData(
      MetadataLog log,
      Controller controller,
      List<DataFolder> folders,
      String clusterId,
      long brokerEpoch,
      Outcome outcome) {
    metadataLog = log;
    ControllerCalls calls = new ControllerCalls(controller, control, data);
    Replication replication = Replication.alone(settings.nodeId(), data);
    HostedLogs hosted =
        new HostedLogs(
            settings.nodeId(),
            data,
            folders,
            partitions,
            topicConfigs,
            view,
            new LedPartitions(calls),
            replication,
            new DiskOwner());
    calls.onStorageFailure(hosted::suspectMetadataFolder);
    logs = hosted;
    view.addListener(hosted);
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
                calls,
                new Handlers.Self(
                    clusterId,
                    brokerEpoch,
                    new FolderRoom(hosted::logDirs, hosted::suspectFolders),
                    hosted::logDirs,
                    hosted.moves(),
                    replication));
            started.start();
            compacting.start();
            outcome.onDone();
          } catch (RuntimeException e) {
            outcome.onFailed(e);
          }
        });
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
    hosted.afterSyncs(() -> closeLogs(open, unclean, known, hosted, outcome));
  }

  private void closeLogs(
      List<PartitionLog> open,
      List<PartitionLog> unclean,
      Checkpoints known,
      HostedLogs hosted,
      Outcome outcome) {
    LogCloser closer =
        new LogCloser(
            data,
            hosted.onlineFolders().stream().map(DataFolder::directory).toList(),
            failure -> {
              if (failure != null) {
                LOG.error("Logs could not be closed; the next start checks them", failure);
                stopControl(outcome);
              } else {
                markClean(known, hosted, outcome);
              }
            });
    closer.close(open, unclean);
  }

  private void markClean(Checkpoints known, HostedLogs hosted, Outcome outcome) {
    Checkpoints.Update last = known.all();
    // What could not be opened was not checked either: the next start has to look again.
    List<DataFolder> clean =
        hosted.onlineFolders().stream()
            .filter(folder -> partitions.offline().stream().noneMatch(folder::holds))
            .toList();
    data.background()
        .run(
            // Behind a checkpoint that may be under way, unless a disk that hangs may hold it up.
            clean.size() < hosted.folders().size() ? "stop" : Checkpoints.QUEUE,
            () -> {
              last.write();
              markClean(clean);
              return last;
            },
            (done, failure) -> {
              if (failure != null) {
                LOG.error("The folders could not be marked as clean: {}", failure.getMessage());
              }
              stopControl(outcome);
            });
  }

  /** One folder that fails keeps no other from being marked. */
  private static void markClean(List<DataFolder> folders) throws IOException {
    IOException failure = null;
    for (DataFolder folder : folders) {
      try {
        DataFolder.writeCleanMarker(folder.directory());
      } catch (IOException e) {
        failure = e;
      }
    }
    if (failure != null) {
      throw failure;
    }
  }

  private void stopControl(Outcome outcome) {
    MetadataLog log = metadataLog;
    control.execute(
        () -> {
          Optional<Throwable> failure = closeMetadataLog(log);
          data.execute(() -> failure.ifPresentOrElse(outcome::onFailed, outcome::onDone));
        });
  }

  private static Optional<Throwable> closeMetadataLog(@Nullable MetadataLog log) {
    try {
      if (log != null) {
        log.close();
      }
      return Optional.empty();
    } catch (IOException e) {
      return Optional.of(e);
    }
  }
}
