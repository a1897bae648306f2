package dev.tidemark.server;

import dev.tidemark.broker.Broker;
import dev.tidemark.broker.BrokerSettings;
import dev.tidemark.broker.NodeControls;
import dev.tidemark.broker.folder.DataFolders;
import dev.tidemark.broker.folder.FolderIdentity;
import dev.tidemark.broker.settings.HonouredSettings;
import dev.tidemark.broker.settings.HostPort;
import dev.tidemark.broker.settings.ListenerAddress;
import dev.tidemark.env.Directory;
import dev.tidemark.env.Randomness;
import dev.tidemark.metadata.BrokerIncarnation;
import dev.tidemark.metadata.MetadataNotApplied;
import dev.tidemark.server.http.HttpEndpoint;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.channels.UnresolvedAddressException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.apache.kafka.common.security.auth.SecurityProtocol;
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
  private final List<NettyListener> listeners = new ArrayList<>();
  private final List<InetSocketAddress> addresses = new ArrayList<>();
  private final CountDownLatch fatalFailure = new CountDownLatch(1);
  private final BackgroundPool pool;
  private final BrokerSettings settings;
  private final NettyShard data;
  private final NettyShard control;
  private final ProcessProbe probe;
  private @Nullable HttpEndpoint http;
  private @Nullable Broker broker;
  private @Nullable ShardNetwork network;
  private String clusterId = "";

  private BrokerProcess(BrokerSettings settings) {
    this.settings = settings;
    int furtherFolders = settings.logDirs().size() - 1;
    this.pool =
        new BackgroundPool(BACKGROUND_THREADS + furtherFolders * THREADS_OF_A_FURTHER_FOLDER);
    NettyIo io = NettyIo.choose();
    this.data = newShard("shard-0", io);
    this.control = newShard(CONTROL, io);
    this.probe = new ProcessProbe(data);
  }

  private NettyShard newShard(String name, NettyIo io) {
    return new NettyShard(name, io, pool, new SecureRandomness(), this::onFailure);
  }

  /**
   * Starts a broker; returns when it serves clients.
   *
   * @param properties what server.properties says
   * @param formats whether empty data folders are formatted; else they are refused
   * @throws IOException what the machine refused, in one line
   * @throws dev.tidemark.broker.settings.InvalidSetting the first value that cannot be used
   */
  public static BrokerProcess start(Map<String, String> properties, boolean formats)
      throws IOException, InterruptedException {
    BrokerSettings settings = BrokerSettings.parse(properties);
    settings.warnings().forEach(LOG::warn);
    BrokerProcess process = new BrokerProcess(settings);
    try {
      process.open(formats);
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
   * @param clusterId the cluster; null for the one of the folders, or a new one
   * @return the cluster and the folders
   */
  public static Formatted format(Map<String, String> properties, @Nullable String clusterId)
      throws IOException {
    BrokerSettings settings = BrokerSettings.parse(properties);
    settings.warnings().forEach(LOG::warn);
    List<Directory> folders = folders(settings);
    List<FolderLock> locks = lock(folders);
    try {
      return format(settings, folders, clusterId);
    } finally {
      for (FolderLock lock : locks) {
        lock.close();
      }
    }
  }

  private static Formatted format(
      BrokerSettings settings, List<Directory> folders, @Nullable String clusterId)
      throws IOException {
    Randomness randomness = new SecureRandomness();
    String id = clusterId;
    boolean already = true;
    List<String> paths = new ArrayList<>();
    for (Directory folder : folders) {
      paths.add(folder.path());
      FolderIdentity identity = FolderIdentity.read(folder).orElse(null);
      if (identity == null) {
        already = false;
      } else if (id == null) {
        id = identity.clusterId();
      }
    }
    if (id == null) {
      id = DataFolders.newClusterId(randomness);
    }
    DataFolders.format(folders, id, settings.nodeId(), randomness, SystemClock.INSTANCE);
    return new Formatted(id, List.copyOf(paths), already);
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

  private void open(boolean formats) throws IOException, InterruptedException {
    List<Directory> folders = UsableFolders.open(settings.logDirs(), locks);
    LOG.info(
        "Tidemark {} starts as node {} with data in {}",
        Version.current(),
        settings.nodeId(),
        String.join(", ", settings.logDirs()));
    if (formats && DataFolders.areUnformatted(folders)) {
      Formatted unused = format(settings, folders, null);
    }
    clusterId = FolderIdentity.read(folders.get(0)).map(FolderIdentity::clusterId).orElse("");
    openHttp();
    ShardNetwork shared = new ShardNetwork(data, NetworkSettings.of(settings));
    network = shared;
    Broker started =
        new Broker(
            settings,
            data,
            control,
            folders,
            this::onDiskFailure,
            BootId.read(),
            new NodeControls(new JdkLogLevels(), shared.connections()));
    for (ListenerAddress address : settings.listeners()) {
      NettyListener listener = new NettyListener(shared, address.name(), started.acceptor());
      listeners.add(listener);
      addresses.add(listener.bind(bindAddress(address)));
    }
    broker = started;
    BrokerOutcome.await("start", START_TIMEOUT_MS, outcome -> started.start(advertised(), outcome));
    listeners.forEach(NettyListener::accept);
    probe.onServing(started.metrics(), listeners);
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

  private static InetSocketAddress bindAddress(ListenerAddress address) {
    InetSocketAddress where =
        address.host().isEmpty()
            ? new InetSocketAddress(address.port())
            : new InetSocketAddress(address.host(), address.port());
    InetAddress ip = where.getAddress();
    if (ip != null && !ip.isLoopbackAddress() && address.securityProtocol().equals("PLAINTEXT")) {
      LOG.warn(
          "Listener {} is reachable from other machines without encryption or login; bind it to"
              + " 127.0.0.1, or see to it that only trusted machines reach the port.",
          address);
    }
    return where;
  }

  /** What clients are told: the advertised addresses with the ports that were really taken. */
  private List<BrokerIncarnation.Listener> advertised() {
    List<BrokerIncarnation.Listener> told = new ArrayList<>();
    for (int i = 0; i < addresses.size(); i++) {
      ListenerAddress address = settings.advertisedListeners().get(i);
      int port = address.port() == 0 ? addresses.get(i).getPort() : address.port();
      String host = address.host().isEmpty() ? thisHost() : address.host();
      short protocol = SecurityProtocol.forName(address.securityProtocol()).id;
      told.add(new BrokerIncarnation.Listener(address.name(), host, port, protocol));
    }
    return told;
  }

  private static String thisHost() {
    try {
      return InetAddress.getLocalHost().getCanonicalHostName();
    } catch (UnknownHostException e) {
      LOG.warn("This machine's name is unknown ({}); clients are told localhost.", e.getMessage());
      return "localhost";
    }
  }

  /** In one line: the node, its cluster, where it listens and where its data are. */
  public String description() {
    List<String> where = new ArrayList<>();
    for (int i = 0; i < addresses.size(); i++) {
      ListenerAddress address = settings.listeners().get(i);
      where.add(address.name() + "://" + address.host() + ":" + addresses.get(i).getPort());
    }
    return "node %d of cluster %s, listening at %s, data in %s"
        .formatted(
            settings.nodeId(),
            clusterId,
            String.join(", ", where),
            String.join(", ", settings.logDirs()));
  }

  /** The port of the first listener. */
  public int port() {
    return addresses.get(0).getPort();
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
    probe.onStopping();
    List<StopStep> steps = new ArrayList<>();
    listeners.forEach(listener -> steps.add(listener::close));
    ShardNetwork shared = network;
    if (shared != null) {
      steps.add(shared::close);
    }
    steps.add(this::stopBroker);
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
