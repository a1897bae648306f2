package dev.tidemark.server;

import dev.tidemark.env.Connection;
import dev.tidemark.env.Dialer;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.ConnectTimeoutException;
import io.netty.channel.socket.SocketChannel;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Connections of this node to others, on one shard. What they receive is not counted against the
 * memory for clients' requests, for clients may wait for it.
 */
public final class NettyDialer implements Dialer {
  /** The listener's name of connections that no listener accepted. */
  static final String NAME = "OUTBOUND";

  private final ShardNetwork network;
  private final Set<NettyConnection> connections = new LinkedHashSet<>();
  private long connectionCounter;
  private boolean closed;

  /**
   * @param network for these connections alone: its bounds for memory hold for what others answer
   */
  public NettyDialer(ShardNetwork network) {
    this.network = network;
  }

  @Override
  public void connect(String host, int port, long timeoutMs, Attempt attempt) {
    NettyShard shard = network.shard();
    shard
        .background()
        .run(
            "resolve " + host, // a name server that is slow for one name holds up no other
            () -> List.of(InetAddress.getAllByName(host)),
            (addresses, failure) -> {
              if (addresses == null) {
                attempt.onUnreachable(String.valueOf(failure));
              } else {
                new Call(addresses, port, timeoutMs, attempt).tryNext();
              }
            });
  }

  /** One attempt, at each address of the host in turn until one takes it. */
  private final class Call {
    private final Iterator<InetAddress> addresses;
    private final int port;
    private final long timeoutMs;
    private final Attempt attempt;
    private @Nullable String unreachable;

    Call(List<InetAddress> addresses, int port, long timeoutMs, Attempt attempt) {
      this.addresses = addresses.iterator();
      this.port = port;
      this.timeoutMs = timeoutMs;
      this.attempt = attempt;
    }

    @SuppressWarnings("FutureReturnValueIgnored") // the listener hears of its end
    void tryNext() {
      if (closed) {
        attempt.onUnreachable("this node stops");
        return;
      }
      NettyShard shard = network.shard();
      new Bootstrap()
          .group(shard.loop())
          .channelFactory(() -> shard.io().newChannel())
          .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, Math.toIntExact(timeoutMs))
          .option(ChannelOption.TCP_NODELAY, true)
          .option(ChannelOption.ALLOCATOR, network.memory().allocator())
          .option(ChannelOption.MESSAGE_SIZE_ESTIMATOR, WholeSizeEstimator.INSTANCE)
          .handler(
              new ChannelInitializer<SocketChannel>() {
                @Override
                protected void initChannel(SocketChannel channel) {
                  channel.pipeline().addLast(new Calling(channel, Call.this));
                }
              })
          .connect(new InetSocketAddress(addresses.next(), port))
          .addListener(
              result -> {
                Throwable cause = result.cause();
                if (cause != null) {
                  failed(cause);
                }
              });
    }

    /** A host that says so itself is told from one that is not reached. */
    private void failed(Throwable cause) {
      String message = String.valueOf(cause.getMessage());
      boolean refused =
          cause instanceof ConnectException
              && !(cause instanceof ConnectTimeoutException)
              && message.toLowerCase(Locale.ROOT).contains("refused");
      if (refused) {
        refused();
      } else {
        unreachable = message;
        goOn();
      }
    }

    void refused() {
      goOn();
    }

    private void goOn() {
      if (addresses.hasNext()) {
        tryNext();
      } else if (unreachable != null) {
        attempt.onUnreachable(unreachable);
      } else {
        attempt.onRefused();
      }
    }

    Connection.Listener connected(NettyConnection connection) {
      return attempt.onConnected(connection);
    }
  }

  /** Closes every connection and refuses new ones; callable anywhere. */
  public void close() {
    network
        .shard()
        .execute(
            () -> {
              closed = true;
              new ArrayList<>(connections).forEach(NettyConnection::close);
            });
  }

  /** Stands in the pipeline until the connection stands, and makes way for it. */
  private final class Calling extends ChannelInboundHandlerAdapter implements ConnectionOwner {
    private final SocketChannel channel;
    private final Call call;

    Calling(SocketChannel channel, Call call) {
      this.channel = channel;
      this.call = call;
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
      if (isItsOwnPeer(channel)) {
        var unused = channel.close();
        call.refused();
        return;
      }
      NettyConnection connection = new NettyConnection(channel, this, connectionCounter++);
      channel.config().setRecvByteBufAllocator(connection.reader());
      channel.pipeline().replace(this, "connection", connection);
      connection.channelActive(channel.pipeline().context(connection));
    }

    /**
     * A call to a free port of this machine may be given that very port, and TCP then connects it
     * to itself: nobody else is there.
     */
    private static boolean isItsOwnPeer(Channel channel) {
      return channel.localAddress().equals(channel.remoteAddress());
    }

    @Override
    public String name() {
      return NAME;
    }

    @Override
    public ShardNetwork network() {
      return network;
    }

    @Override
    public Connection.@Nullable Listener accepted(NettyConnection connection) {
      connections.add(connection);
      return call.connected(connection);
    }

    @Override
    public void closed(NettyConnection connection) {
      connections.remove(connection);
    }
  }
}
