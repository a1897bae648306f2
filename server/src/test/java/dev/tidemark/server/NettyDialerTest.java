package dev.tidemark.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.env.Connection;
import dev.tidemark.env.Dialer;
import dev.tidemark.env.InboundFrame;
import dev.tidemark.env.OutboundFrame;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** Calls to other nodes. Every test runs on each transport that works here. */
class NettyDialerTest {
  @Nested
  class OnEpoll extends Cases {
    OnEpoll() {
      super(NettyIo.EPOLL);
    }
  }

  @Nested
  class OnNio extends Cases {
    OnNio() {
      super(NettyIo.NIO);
    }
  }

  abstract static class Cases extends ListenerFixture {
    private static final String HOST = "127.0.0.1";

    private final LinkedBlockingQueue<String> heard = new LinkedBlockingQueue<>();
    private volatile Connection connection;
    private ShardNetwork own;
    private NettyDialer dialer;

    Cases(NettyIo io) {
      super(io);
    }

    /** Says what it hears. */
    private final class Caller implements Dialer.Attempt, Connection.Listener {
      @Override
      public Connection.Listener onConnected(Connection opened) {
        connection = opened;
        heard.add("connected");
        return this;
      }

      @Override
      public void onRefused() {
        heard.add("refused");
      }

      @Override
      public void onUnreachable(String why) {
        heard.add("unreachable");
      }

      @Override
      public void onFrame(Connection from, InboundFrame frame) {
        heard.add("frame of " + frame.buffer().remaining());
        frame.release();
      }

      @Override
      public void onDrained(Connection from) {}

      @Override
      public void onClosed(Connection from) {
        heard.add("closed");
      }
    }

    private void dial(String host, int port) {
      if (dialer == null) {
        own = new ShardNetwork(shard(), NetworkSettings.defaults());
        dialer = new NettyDialer(own);
      }
      shard().execute(() -> dialer.connect(host, port, 5_000, new Caller()));
    }

    @AfterEach
    void closeDialer() {
      if (dialer != null) {
        dialer.close();
        own.close();
      }
    }

    private String next() throws InterruptedException {
      return heard.poll(20, TimeUnit.SECONDS);
    }

    private void send(int bytes) {
      ByteBuffer frame = ByteBuffer.allocate(4 + bytes).putInt(bytes).rewind();
      shard()
          .execute(
              () -> connection.send(OutboundFrame.of(List.of(new OutboundFrame.Bytes(frame)))));
    }

    @Test
    void framesGoBothWays() throws Exception {
      listen(NetworkSettings.defaults(), new Echo());
      dial(HOST, port());
      assertThat(next()).isEqualTo("connected");
      for (int bytes : new int[] {1, 10, 20_000, 3 << 20}) {
        send(bytes);
        assertThat(next()).isEqualTo("frame of " + bytes);
      }
      shard().execute(connection::close);
      assertThat(next()).isEqualTo("closed");
      assertThat(events).isEmpty();
    }

    @Test
    void aNameIsResolved() throws Exception {
      listen(NetworkSettings.defaults(), new Echo());
      dial("localhost", port());
      assertThat(next()).isEqualTo("connected");
    }

    @Test
    void aPortWhereNobodyListensRefuses() throws Exception {
      int port;
      try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
        port = socket.getLocalPort();
      }
      dial(HOST, port);
      assertThat(next()).isEqualTo("refused");
    }

    @Test
    void anUnknownNameIsUnreachableAndNotRefused() throws Exception {
      dial("[no address]", 9093); // refused by the resolver without a question to anybody
      assertThat(next()).isEqualTo("unreachable");
    }

    @Test
    void aPeerThatClosesIsHeardOf() throws Exception {
      try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
        dial(HOST, socket.getLocalPort());
        try (Socket accepted = socket.accept()) {
          assertThat(next()).isEqualTo("connected");
          assertThat(accepted.isConnected()).isTrue();
        }
        assertThat(next()).isEqualTo("closed");
      }
    }

    @Test
    void manyCallsAtOnceAreAllAnswered() throws Exception {
      listen(NetworkSettings.defaults(), new Echo());
      for (int i = 0; i < 50; i++) {
        dial(HOST, port());
      }
      List<String> all = new ArrayList<>();
      for (int i = 0; i < 50; i++) {
        all.add(next());
      }
      assertThat(all).containsOnly("connected");
    }

    @Test
    void aClosedDialerCallsNobody() throws IOException, InterruptedException {
      listen(NetworkSettings.defaults(), new Echo());
      dial(HOST, port());
      assertThat(next()).isEqualTo("connected");
      dialer.close();
      assertThat(next()).isEqualTo("closed");
      dial(HOST, port());
      assertThat(next()).isEqualTo("unreachable");
    }
  }
}
