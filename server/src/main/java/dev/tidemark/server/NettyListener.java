package dev.tidemark.server;

import dev.tidemark.broker.metrics.MetricVisitor;
import dev.tidemark.env.Connection;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.ServerChannel;
import io.netty.channel.socket.SocketChannel;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A listening socket whose connections all live on one shard. */
public final class NettyListener {
  private static final Logger LOG = LoggerFactory.getLogger(NettyListener.class);

  private final NettyShard shard;
  private final String name;
  private final NetworkSettings settings;
  private final Connection.Acceptor onAccept;
  private final FrameMemory memory;
  private final ByteBuf scratch;
  private final Set<NettyConnection> connections = new LinkedHashSet<>();
  private final Map<InetAddress, Integer> connectionsPerIp = new HashMap<>();
  private long connectionCounter;
  private @Nullable ServerChannel server;

  /**
   * A listener that does not listen yet.
   *
   * @param name the listener's name, e.g. PLAINTEXT
   * @param onAccept gives who hears of a new connection; called on the shard
   */
  public NettyListener(
      NettyShard shard, String name, NetworkSettings settings, Connection.Acceptor onAccept) {
    this(
        shard,
        name,
        settings,
        onAccept,
        new FrameMemory(settings.maxQueuedBytes(), shard::execute));
  }

  NettyListener(
      NettyShard shard,
      String name,
      NetworkSettings settings,
      Connection.Acceptor onAccept,
      FrameMemory memory) {
    this.shard = shard;
    this.name = name;
    this.settings = settings;
    this.onAccept = onAccept;
    this.memory = memory;
    this.scratch =
        memory.allocator().directBuffer(FrameReader.SCRATCH_BYTES, FrameReader.SCRATCH_BYTES);
  }

  /**
   * Takes {@code address}; port 0 takes any free one. Peers that connect wait until {@link
   * #accept}. Not callable on the shard.
   *
   * @return the address with the port that is used
   * @throws IOException when the port is taken or not allowed; the message says which
   */
  public InetSocketAddress bind(InetSocketAddress address)
      throws IOException, InterruptedException {
    ServerBootstrap bootstrap =
        new ServerBootstrap()
            .group(shard.loop())
            .channelFactory(() -> shard.io().newServerChannel())
            .option(ChannelOption.AUTO_READ, false)
            .option(ChannelOption.SO_BACKLOG, settings.backlog())
            .option(ChannelOption.SO_REUSEADDR, true)
            .childOption(ChannelOption.TCP_NODELAY, true)
            .childOption(ChannelOption.ALLOCATOR, memory.allocator())
            .childOption(ChannelOption.MESSAGE_SIZE_ESTIMATOR, WholeSizeEstimator.INSTANCE)
            .childHandler(
                new ChannelInitializer<SocketChannel>() {
                  @Override
                  protected void initChannel(SocketChannel channel) {
                    initialise(channel);
                  }
                });
    if (settings.receiveBufferBytes() >= 0) {
      bootstrap.option(ChannelOption.SO_RCVBUF, settings.receiveBufferBytes());
      bootstrap.childOption(ChannelOption.SO_RCVBUF, settings.receiveBufferBytes());
    }
    if (settings.sendBufferBytes() >= 0) {
      bootstrap.childOption(ChannelOption.SO_SNDBUF, settings.sendBufferBytes());
    }
    ChannelFuture bound = bootstrap.bind(address).await();
    if (!bound.isSuccess()) {
      throw new BindFailure(name, address, bound.cause());
    }
    server = (ServerChannel) bound.channel();
    return (InetSocketAddress) bound.channel().localAddress();
  }

  /** From now on connections are accepted. */
  public void accept() {
    ServerChannel open = server;
    if (open == null) {
      throw new IllegalStateException("listener " + name + " has no address yet");
    }
    open.config().setAutoRead(true);
  }

  private void initialise(SocketChannel channel) {
    NettyConnection connection = new NettyConnection(channel, this, connectionCounter++);
    channel.config().setRecvByteBufAllocator(connection.reader());
    channel.pipeline().addLast(connection);
  }

  /** Stops accepting and closes every connection; callable anywhere, once. */
  public void close() throws InterruptedException {
    ServerChannel open = server;
    try {
      if (open != null) {
        open.close().await();
      }
    } finally {
      shard.execute(this::closeConnections);
    }
  }

  private void closeConnections() {
    for (NettyConnection connection : new ArrayList<>(connections)) {
      connection.close();
    }
    scratch.release();
  }

  /** Tells how many connections there are; on the shard. */
  void visit(MetricVisitor visitor) {
    String labels = "listener=\"" + name + "\"";
    visitor.gauge("kafka_server_socketservermetrics_connection_count", labels, connections.size());
    visitor.counter(
        "kafka_server_socketservermetrics_connection_creation_total", labels, connectionCounter);
    visitor.gauge("tidemark_network_frame_memory_bytes", labels, memory.usedBytes());
  }

  // ---- for the connections, on the shard

  Connection.@Nullable Listener accepted(NettyConnection connection) {
    InetAddress ip = connection.remoteAddress();
    connections.add(connection);
    int ofIp = connectionsPerIp.merge(ip, 1, Integer::sum);
    if (connections.size() > settings.maxConnections()) {
      return refuse(connection, "max.connections", settings.maxConnections());
    }
    if (ofIp > settings.maxConnectionsPerIp()) {
      return refuse(connection, "max.connections.per.ip", settings.maxConnectionsPerIp());
    }
    return onAccept.onConnected(connection);
  }

  private static Connection.@Nullable Listener refuse(
      NettyConnection connection, String key, int limit) {
    LOG.warn("Refused connection {}: {}={} is reached.", connection.id(), key, limit);
    connection.close();
    return null;
  }

  void closed(NettyConnection connection) {
    if (connections.remove(connection)) {
      connectionsPerIp.computeIfPresent(
          connection.remoteAddress(), (ip, count) -> count == 1 ? null : count - 1);
    }
  }

  String name() {
    return name;
  }

  NetworkSettings settings() {
    return settings;
  }

  FrameMemory memory() {
    return memory;
  }

  ByteBuf scratch() {
    return scratch;
  }
}
