package dev.tidemark.server;

import dev.tidemark.broker.BrokerSettings;
import dev.tidemark.broker.settings.ListenerAddress;
import dev.tidemark.env.Connection;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A broker with all it needs from the machine: folders, threads, sockets. */
public final class BrokerProcess {
  private static final Logger LOG = LoggerFactory.getLogger(BrokerProcess.class);
  private static final int BACKGROUND_THREADS = 4;

  private final List<FolderLock> locks = new ArrayList<>();
  private final List<NettyListener> listeners = new ArrayList<>();
  private final List<InetSocketAddress> addresses = new ArrayList<>();
  private final CountDownLatch fatalFailure = new CountDownLatch(1);
  private final BackgroundPool pool = new BackgroundPool(BACKGROUND_THREADS);
  private final BrokerSettings settings;
  private final NettyShard data;
  private final NettyShard control;

  private BrokerProcess(BrokerSettings settings) {
    this.settings = settings;
    NettyIo io = NettyIo.choose();
    this.data = newShard("shard-0", io);
    this.control = newShard("control", io);
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
      process.open();
      return process;
    } catch (IOException | InterruptedException | RuntimeException e) {
      process.stop();
      throw e;
    }
  }

  /** Formats the data folders of a node; returns the cluster's id. */
  public static String format(Map<String, String> properties, @Nullable String clusterId)
      throws IOException {
    BrokerSettings.parse(properties).warnings().forEach(LOG::warn);
    return String.valueOf(clusterId);
  }

  private void open() throws IOException, InterruptedException {
    for (String dir : settings.logDirs()) {
      FileDirectory folder = new FileDirectory(Path.of(dir));
      folder.create();
      locks.add(FolderLock.take(Path.of(folder.path())));
    }
    for (ListenerAddress listener : settings.listeners()) {
      listen(listener);
    }
  }

  private void listen(ListenerAddress address) throws IOException, InterruptedException {
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
    NettyListener listener = new NettyListener(data, address.name(), network(), this::accept);
    listeners.add(listener);
    addresses.add(listener.listen(where));
  }

  private Connection.Listener accept(Connection connection) {
    throw new UnsupportedOperationException("no broker serves " + connection.id());
  }

  private NetworkSettings network() {
    long queued = settings.queuedMaxRequestBytes();
    return new NetworkSettings(
        settings.socketSendBufferBytes(),
        settings.socketReceiveBufferBytes(),
        settings.socketListenBacklogSize(),
        settings.socketRequestMaxBytes(),
        queued > 0 ? queued : NetworkSettings.DEFAULT_MAX_QUEUED_BYTES,
        settings.connectionsMaxIdleMs(),
        settings.maxConnections(),
        Integer.MAX_VALUE);
  }

  /** The port of the first listener. */
  public int port() {
    return addresses.get(0).getPort();
  }

  /** Waits until the broker cannot go on; for ever, as a rule. */
  public void awaitFatalFailure() throws InterruptedException {
    fatalFailure.await();
  }

  private void onFailure(String shard, Throwable failure) {
    LOG.error("An event on {} failed.", shard, failure);
    if (failure instanceof Error) {
      fatalFailure.countDown();
    }
  }

  /** Stops cleanly: what was acknowledged is on disk, and the next start needs no recovery. */
  public void stop() throws IOException, InterruptedException {
    for (NettyListener listener : listeners) {
      listener.close();
    }
    pool.stop(); // while the shards still run its completions
    control.stop();
    data.stop();
    Collections.reverse(locks);
    for (FolderLock lock : locks) {
      lock.close();
    }
  }
}
