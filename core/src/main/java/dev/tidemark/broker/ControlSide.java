package dev.tidemark.broker;

import static java.util.Objects.requireNonNull;

import dev.tidemark.broker.control.ActiveController;
import dev.tidemark.broker.control.KnownController;
import dev.tidemark.broker.folder.FolderIdentity;
import dev.tidemark.broker.metrics.RequestMetrics;
import dev.tidemark.env.Connection;
import dev.tidemark.env.Dialer;
import dev.tidemark.env.Directory;
import dev.tidemark.env.Shard;
import dev.tidemark.metadata.BrokerIncarnation;
import dev.tidemark.metadata.BrokerProbe;
import dev.tidemark.metadata.Controller;
import dev.tidemark.metadata.ControllerSettings;
import dev.tidemark.metadata.MetadataView;
import dev.tidemark.quorum.Leadership;
import dev.tidemark.quorum.MetadataLog;
import dev.tidemark.quorum.QuorumAddress;
import dev.tidemark.quorum.QuorumSettings;
import dev.tidemark.quorum.RaftMetadataLog;
import dev.tidemark.quorum.SingleVoterLog;
import java.io.IOException;
import java.util.List;
import java.util.function.Consumer;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.jspecify.annotations.Nullable;

/**
 * What a node has on its control shard: the metadata log, the controller, which decides while this
 * node is active, and those who call it from other nodes.
 */
final class ControlSide {
  /** How long the next leader has to take over before this node's log is closed. */
  private static final long RESIGN_MS = 200;

  private final BrokerSettings settings;
  private final ClusterSettings cluster;
  private final MetadataView view;
  private final Shard data;
  private final Shard control;
  private final Dialer dialer;
  private final KnownController known = new KnownController();
  private final HandlerRegistry registry = new HandlerRegistry();
  private final RequestMetrics metrics;
  private final ClientMistakes mistakes;
  private @Nullable MetadataLog log;
  private @Nullable Controller controller;

  /** {@code dialer} is of the control shard. */
  ControlSide(
      BrokerSettings settings, MetadataView view, Shard data, Shard control, Dialer dialer) {
    this.settings = settings;
    this.cluster = settings.cluster();
    this.view = view;
    this.data = data;
    this.control = control;
    this.dialer = dialer;
    this.metrics = new RequestMetrics(control.clock());
    this.mistakes = new ClientMistakes(control.clock(), control.timers());
  }

  /** Who is active; owned by the data shard. */
  KnownController known() {
    return known;
  }

  Controller controller() {
    return requireNonNull(controller, "the control side is not open");
  }

  /**
   * Opens the metadata log and takes part in the quorum from now on; on the control shard.
   *
   * @param folder the data folder that holds the log
   * @param advertised where this node's controller is called, in the order of its listeners
   */
  void open(Directory folder, FolderIdentity identity, List<BrokerIncarnation.Listener> advertised)
      throws IOException {
    MetadataLog opened =
        cluster.isAlone()
            ? new SingleVoterLog(
                folder,
                settings.nodeId(),
                identity.directoryId(),
                control.clock(),
                settings.metadataSnapshots())
            : new RaftMetadataLog(folder, quorum(identity, advertised), control, dialer);
    log = opened;
    Controller decider =
        new Controller(
            opened,
            view,
            control,
            data,
            controllerSettings(),
            cluster.brokerControl(identity.clusterId()),
            cluster.isAlone()
                ? BrokerProbe.none()
                : new ListenerProbe(dialer, cluster.interBrokerListener()));
    controller = decider;
    decider.onLeaderChange(this::tellLeader);
    if (opened instanceof RaftMetadataLog raft && cluster.isController()) {
      ControllerHandlers.register(registry, decider, raft, settings, identity, control);
    }
    decider.start();
  }

  private QuorumSettings quorum(
      FolderIdentity identity, List<BrokerIncarnation.Listener> advertised) {
    QuorumAddress address =
        advertised.isEmpty()
            ? null
            : new QuorumAddress(advertised.get(0).host(), advertised.get(0).port());
    return new QuorumSettings(
        settings.nodeId(),
        identity.directoryId(),
        identity.clusterId(),
        cluster.controllerListener(),
        address,
        cluster.bootstrapServers(),
        cluster.isController(),
        cluster.quorumTimeouts(),
        settings.metadataSnapshots());
  }

  private ControllerSettings controllerSettings() {
    return new ControllerSettings(
        settings.nodeId(),
        settings.numPartitions(),
        settings.defaultReplicationFactor(),
        settings.deleteTopicEnable(),
        settings.texts());
  }

  private void tellLeader(Leadership now) {
    MetadataLog current = log;
    QuorumAddress address = current == null ? null : current.leaderAddress();
    ActiveController active =
        new ActiveController(now.leaderId(), now.epoch(), now.isActive(), address);
    data.execute(() -> known.set(active));
  }

  /** Answers what controllers and brokers of other nodes ask; on the control shard, once open. */
  Connection.Acceptor acceptor() {
    return connection -> new ClientConnection(connection, registry, metrics, mistakes);
  }

  /** Hands a request to raft in this process and brings its answer to the data shard. */
  RequestHandler quorumFromData() {
    return request -> {
      short version = request.version();
      ApiMessage asked = request.body().data();
      Consumer<ApiMessage> answer =
          response -> data.execute(() -> answerIfThere(request, response));
      control.execute(() -> raft().handle(version, asked, answer));
    };
  }

  private static void answerIfThere(Request request, ApiMessage response) {
    if (!request.isAbandoned()) {
      request.answer(response);
    }
  }

  private RaftMetadataLog raft() {
    if (log instanceof RaftMetadataLog raft) {
      return raft;
    }
    throw new IllegalStateException(ApiKeys.DESCRIBE_QUORUM + " is asked of a log without raft");
  }

  /** Lets another voter lead if this one does, then closes the log; on the control shard. */
  void close(Consumer<@Nullable Throwable> done) {
    MetadataLog open = log;
    if (open instanceof RaftMetadataLog && open.state().leaderId() == settings.nodeId()) {
      open.resign();
      var unused = control.timers().schedule(RESIGN_MS, () -> done.accept(closeLog(open)));
    } else {
      done.accept(closeLog(open));
    }
  }

  private static @Nullable Throwable closeLog(@Nullable MetadataLog open) {
    try {
      if (open != null) {
        open.close();
      }
      return null;
    } catch (IOException e) {
      return e;
    }
  }
}
