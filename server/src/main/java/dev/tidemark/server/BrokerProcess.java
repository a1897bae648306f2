package dev.tidemark.server;

import static java.util.Objects.requireNonNull;

import dev.tidemark.broker.Broker;
import dev.tidemark.broker.BrokerSettings;
import dev.tidemark.broker.NodeControls;
import dev.tidemark.broker.folder.DataFolders;
import dev.tidemark.broker.folder.FolderIdentity;
import dev.tidemark.broker.settings.HonouredSettings;
import dev.tidemark.broker.settings.HostPort;
import dev.tidemark.env.Directory;
import dev.tidemark.metadata.MetadataNotApplied;
import dev.tidemark.server.http.HttpEndpoint;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.UnresolvedAddressException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A broker with all it needs from the machine: folders, threads, sockets. */
public final class BrokerProcess {
  private static final Logger LOG = LoggerFactory.getLogger(BrokerProcess.class);
  private static final String CONTROL = "control";

  /** They start when there is work. */
  private static final int BACKGROUND_THREADS = 4;

  /** A further folder that hangs keeps one thread for each kind of work on it, and no more. */
  private static final int THREADS_OF_A_FURTHER_FOLDER = 7;

  /** Recovery after a kill may have to read a lot. */
  private static final long START_TIMEOUT_MS = 3_600_000;

  /** After it the process ends as at a crash, and the next start recovers. */
  private static final long STOP_TIMEOUT_MS = 30_000;

  private final List<FolderLock> locks = new ArrayList<>();
  private final CountDownLatch fatalFailure = new CountDownLatch(1);
  private final BackgroundPool pool;
  private final BrokerSettings settings;
  private final NettyShard data;
  private final NettyShard control;
  private final ProcessProbe probe;
  private @Nullable HttpEndpoint http;
  private @Nullable Broker broker;
  private boolean hasLeft;
  private @Nullable NodeNetwork network;
  private String clusterId = "";

  private BrokerProcess(BrokerSettings settings) {
    this.settings = settings;
    int furtherFolders = settings.logDirs().size() - 1;
    this.pool =
        new BackgroundPool(BACKGROUND_THREADS + furtherFolders * THREADS_OF_A_FURTHER_FOLDER);
    NettyIo io = NettyIo.choose();
    this.data = newShard("shard-0", io);
    this.control = newShard(CONTROL, io);
    this.probe = new ProcessProbe(settings.cluster().isBroker() ? data : control);
  }

  private NettyShard newShard(String name, NettyIo io) {
    return new NettyShard(name, io, pool, new SecureRandomness(), this::onFailure);
  }

  /** The same; {@code formats}: empty data folders become those of a new cluster. */
  public static BrokerProcess start(Map<String, String> properties, boolean formats)
      throws IOException, InterruptedException {
    return start(properties, formats ? FormatOptions.DEFAULTS : null);
  }

  /**
   * Starts a broker; returns when it serves clients.
   *
   * @param properties what server.properties says
   * @param format how empty data folders are formatted; null if they are refused
   * @throws IOException what the machine refused, in one line
   * @throws dev.tidemark.broker.settings.InvalidSetting the first value that cannot be used
   */
  public static BrokerProcess start(Map<String, String> properties, @Nullable FormatOptions format)
      throws IOException, InterruptedException {
    BrokerSettings settings = BrokerSettings.parse(properties);
    settings.warnings().forEach(LOG::warn);
    BrokerProcess process = new BrokerProcess(settings);
    try {
      process.open(format);
      return process;
    } catch (IOException | InterruptedException | RuntimeException e) {
      try {
        process.stop();
      } catch (IOException | RuntimeException alsoFailed) {
        e.addSuppressed(alsoFailed);
      }
      throw e;
    }
  }

  /**
   * Formats the data folders of a node that are empty.
   *
   * @return the cluster and the folders
   * @throws IllegalArgumentException when the options do not fit the settings, in one line
   */
  public static Formatted format(Map<String, String> properties, FormatOptions options)
      throws IOException {
    BrokerSettings settings = BrokerSettings.parse(properties);
    settings.warnings().forEach(LOG::warn);
    List<Directory> folders = folders(settings);
    List<FolderLock> locks = lock(folders);
    try {
      return NodeFormat.run(settings, folders, options);
    } finally {
      for (FolderLock lock : locks) {
        lock.close();
      }
    }
  }

  private static List<Directory> folders(BrokerSettings settings) throws IOException {
    List<Directory> folders = new ArrayList<>();
    for (String dir : settings.logDirs()) {
      Directory folder = new FileDirectory(Path.of(dir));
      folder.create();
      folders.add(folder);
    }
    return folders;
  }

  private static List<FolderLock> lock(List<Directory> folders) throws IOException {
    List<FolderLock> locks = new ArrayList<>();
    try {
      for (Directory folder : folders) {
        locks.add(FolderLock.take(Path.of(folder.path())));
      }
      return locks;
    } catch (IOException e) {
      for (FolderLock lock : locks) {
        lock.close();
      }
      throw e;
    }
  }

  private void open(@Nullable FormatOptions format) throws IOException, InterruptedException {
    List<Directory> folders = UsableFolders.open(settings.logDirs(), locks);
    LOG.info(
        "Tidemark {} starts as node {} with data in {}",
        Version.current(),
        settings.nodeId(),
        String.join(", ", settings.logDirs()));
    if (format != null && DataFolders.areUnformatted(folders)) {
      Formatted unused = NodeFormat.run(settings, folders, format);
    }
    clusterId = FolderIdentity.read(folders.get(0)).map(FolderIdentity::clusterId).orElse("");
    openHttp();
    NodeNetwork sockets = new NodeNetwork(settings, data, control);
    network = sockets;
    Broker started =
        new Broker(
            settings,
            data,
            control,
            folders,
            this::onDiskFailure,
            BootId.read(),
            new NodeControls(new JdkLogLevels(), sockets.bounds()),
            sockets.dialers());
    sockets.bind(started);
    broker = started;
    BrokerOutcome.await(
        "start",
        START_TIMEOUT_MS,
        outcome -> started.start(sockets.advertised(), sockets.advertisedControllers(), outcome));
    sockets.acceptClients();
    if (settings.cluster().isBroker()) {
      probe.onServing(started.metrics(), sockets.listeners());
    } else {
      probe.onServingController();
    }
  }

  /** Before the broker starts, which may take long: it is asked how far it is. */
  private void openHttp() throws IOException {
    if (settings.httpListener().isPresent()) {
      HostPort where = settings.httpListener().get();
      InetSocketAddress address =
          where.host().isEmpty()
              ? new InetSocketAddress(where.port())
              : new InetSocketAddress(where.host(), where.port());
      try {
        http = HttpEndpoint.open(address, probe);
      } catch (IOException | UnresolvedAddressException e) {
        throw new BindFailure(HonouredSettings.TIDEMARK_HTTP_LISTENER.name(), address, e);
      }
    }
  }

  /** In one line: the node, its cluster, where it listens and where its data are. */
  public String description() {
    return "node %d of cluster %s, listening at %s, data in %s"
        .formatted(
            settings.nodeId(),
            clusterId,
            network().description(),
            String.join(", ", settings.logDirs()));
  }

  /** The port of the first listener. */
  public int port() {
    return network().port();
  }

  private NodeNetwork network() {
    return requireNonNull(network, "the process has not started");
  }

  /** The port of the HTTP listener; 0 without one. */
  public int httpPort() {
    HttpEndpoint open = http;
    return open == null ? 0 : open.port();
  }

  /** Waits until the broker cannot go on; for ever, as a rule. */
  public void awaitFatalFailure() throws InterruptedException {
    fatalFailure.await();
  }

  private void onDiskFailure(String why) {
    LOG.error("The broker stops: {}", why);
    fatalFailure.countDown();
  }

  private void onFailure(String shard, Throwable failure) {
    if (isFatal(shard, failure)) {
      LOG.error("The broker stops: an event on {} failed: {}", shard, failure.toString(), failure);
      probe.onFatalFailure("an event on " + shard + " failed: " + failure);
      fatalFailure.countDown();
    } else {
      LOG.error("An event on {} failed; the broker goes on.", shard, failure);
    }
  }

  /**
   * True when nobody can say what state the process is in: it lacks memory or classes, or a part of
   * it no longer agrees with the metadata log, which only the control shard writes. Other events
   * concern one connection or one partition.
   */
  static boolean isFatal(String shard, Throwable failure) {
    return failure instanceof Error
        || failure instanceof MetadataNotApplied
        || shard.equals(CONTROL);
  }

  /**
   * Stops cleanly: what was acknowledged is on disk, and the next start needs no recovery. When
   * that fails, this says why, and threads, ports and locks are given up all the same.
   */
  public void stop() throws IOException, InterruptedException {
    List<StopStep> steps = new ArrayList<>();
    steps.add(this::leave);
    NodeNetwork sockets = network;
    if (sockets != null) {
      steps.add(sockets::closeClients);
    }
    steps.add(this::stopBroker);
    if (sockets != null) {
      steps.add(sockets::close);
    }
    steps.add(pool::stop); // while the shards still run its completions
    steps.add(control::stop);
    steps.add(data::stop);
    HttpEndpoint open = http;
    if (open != null) {
      steps.add(open::close);
    }
    Collections.reverse(locks);
    locks.forEach(lock -> steps.add(lock::close));
    runAll(steps.iterator());
  }

  /**
   * The first part of {@link #stop}, while clients and other brokers still reach this node: it
   * leads until others do. Its controller goes on.
   */
  public void leave() throws IOException, InterruptedException {
    probe.onStopping();
    Broker running = broker;
    if (running != null && !hasLeft) {
      hasLeft = true;
      BrokerOutcome.await("leave", STOP_TIMEOUT_MS, running::leave);
    }
  }

  private void stopBroker() throws IOException, InterruptedException {
    Broker running = broker;
    if (running != null) {
      broker = null;
      BrokerOutcome.await("stop", STOP_TIMEOUT_MS, running::stop);
    }
  }

  /** Runs every step whatever the others throw; throws what the first one threw. */
  private static void runAll(Iterator<StopStep> steps) throws IOException, InterruptedException {
    if (!steps.hasNext()) {
      return;
    }
    try {
      steps.next().run();
    } catch (IOException | InterruptedException | RuntimeException e) {
      try {
        runAll(steps);
      } catch (IOException | InterruptedException | RuntimeException alsoFailed) {
        e.addSuppressed(alsoFailed);
      }
      throw e;
    }
    runAll(steps);
  }

  /** A part of stopping. */
  @FunctionalInterface
  private interface StopStep {
    void run() throws IOException, InterruptedException;
  }
}
