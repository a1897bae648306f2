package dev.tidemark.server;

import io.netty.channel.IoHandlerFactory;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.util.Locale;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Which of the machine's ways to wait for sockets is used. */
public enum NettyIo {
  /** Linux' epoll through Netty's native library. */
  EPOLL {
    @Override
    IoHandlerFactory handlers() {
      return EpollIoHandler.newFactory();
    }

    @Override
    ServerSocketChannel newServerChannel() {
      return new EpollServerSocketChannel();
    }

    @Override
    SocketChannel newChannel() {
      return new EpollSocketChannel();
    }
  },

  /** The JDK's selectors; works everywhere. */
  NIO {
    @Override
    IoHandlerFactory handlers() {
      return NioIoHandler.newFactory();
    }

    @Override
    ServerSocketChannel newServerChannel() {
      return new NioServerSocketChannel();
    }

    @Override
    SocketChannel newChannel() {
      return new NioSocketChannel();
    }
  };

  /** The system property that forces one: {@code epoll} or {@code nio}. */
  public static final String PROPERTY = "tidemark.transport";

  private static final Logger LOG = LoggerFactory.getLogger(NettyIo.class);

  abstract IoHandlerFactory handlers();

  abstract ServerSocketChannel newServerChannel();

  abstract SocketChannel newChannel();

  /**
   * The one that {@code tidemark.transport} names, else epoll where it works, else NIO.
   *
   * @throws IllegalArgumentException if the property has another value, or names epoll where it
   *     does not work
   */
  public static NettyIo choose() {
    String wanted = System.getProperty(PROPERTY, "").trim().toLowerCase(Locale.ROOT);
    return switch (wanted) {
      case "nio" -> NIO;
      case "epoll" -> {
        if (!Epoll.isAvailable()) {
          throw new IllegalArgumentException(
              PROPERTY
                  + "=epoll cannot be had here: "
                  + Epoll.unavailabilityCause()
                  + "; leave the property out to use NIO");
        }
        yield EPOLL;
      }
      case "" -> {
        if (Epoll.isAvailable()) {
          yield EPOLL;
        }
        LOG.info("The native transport is not available here; using NIO.");
        yield NIO;
      }
      default ->
          throw new IllegalArgumentException(
              PROPERTY + "=" + wanted + " is unknown; use epoll or nio, or leave it out");
    };
  }
}
