package dev.tidemark.server;

import dev.tidemark.broker.ClientMistakes;
import dev.tidemark.broker.metrics.MetricVisitor;
import dev.tidemark.env.Connection;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.ServerChannel;
import io.netty.channel.socket.SocketChannel;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A listening socket whose connections all live on one shard. */
public final class NettyListener {
  private static final Logger LOG = LoggerFactory.getLogger(NettyListener.class);

  private final ShardNetwork network;
  private final String name;
  private final Connection.Acceptor onAccept;
  private final ConnectionOwner owner = new Accepted();
  private final Set<NettyConnection> connections = new LinkedHashSet<>();
  private long connectionCounter;
  private @Nullable ServerChannel server;

  /**
   * A listener that does not listen yet.
   *
   * @param network what it shares with the shard's other listeners
   * @param name the listener's name, e.g. PLAINTEXT
   * @param onAccept gives who hears of a new connection; called on the shard
   */
  public NettyListener(ShardNetwork network, String name, Connection.Acceptor onAccept) {
    this.network = network;
    this.name = name;
    this.onAccept = onAccept;
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
    NetworkSettings settings = network.settings();
    NettyShard shard = network.shard();
    ServerBootstrap bootstrap =
        new ServerBootstrap()
            .group(shard.loop())
            .channelFactory(() -> shard.io().newServerChannel())
            .option(ChannelOption.AUTO_READ, false)
            .option(ChannelOption.SO_BACKLOG, settings.backlog())
            .option(ChannelOption.SO_REUSEADDR, true)
            .childOption(ChannelOption.TCP_NODELAY, true)
            .childOption(ChannelOption.ALLOCATOR, network.memory().allocator())
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
    NettyConnection connection = new NettyConnection(channel, owner, connectionCounter++);
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
      network.shard().execute(this::closeConnections);
    }
  }

  private void closeConnections() {
    for (NettyConnection connection : new ArrayList<>(connections)) {
      connection.close();
    }
  }

  /** Tells how many connections there are; on the shard. */
  void visit(MetricVisitor visitor) {
    String labels = "listener=\"" + name + "\"";
    visitor.gauge("kafka_server_socketservermetrics_connection_count", labels, connections.size());
    visitor.counter(
        "kafka_server_socketservermetrics_connection_creation_total", labels, connectionCounter);
  }

  ShardNetwork network() {
    return network;
  }

  /** The connections as they know where they come from. */
  private final class Accepted implements ConnectionOwner {
    @Override
    public String name() {
      return name;
    }

    @Override
    public ShardNetwork network() {
      return network;
    }

    @Override
    public Connection.@Nullable Listener accepted(NettyConnection connection) {
      connections.add(connection);
      String passed = network.connections().add(connection.remoteAddress());
      if (passed == null) {
        return onAccept.onConnected(connection);
      }
      if (network.mistakes().mayTell(ClientMistakes.Kind.CONNECTION_REFUSED)) {
        LOG.warn("Refused connection {}: {} is reached.", connection.id(), passed);
      }
      connection.close();
      return null;
    }

    @Override
    public void closed(NettyConnection connection) {
      if (connections.remove(connection)) {
        network.connections().remove(connection.remoteAddress());
      }
    }
  }
}
