package dev.tidemark.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tidemark.env.Connection;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.lang.ref.WeakReference;
import java.net.InetAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/**
 * Which connections there may be, and for how long. Every test runs on each transport that works
 * here.
 */
class ConnectionsTest {
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
    Cases(NettyIo io) {
      super(io);
    }

    @Test
    void idleConnectionsAreClosed() throws Exception {
      listen(new NetworkSettings(-1, -1, 50, 1000, 1 << 20, 50, 10, 10, Map.of()), new Echo());
      try (Socket socket = connect()) {
        assertThat(socket.getInputStream().read()).isEqualTo(-1);
      }
    }

    @Test
    void connectionsAboveTheLimitPerAddressAreRefused() throws Exception {
      listen(new NetworkSettings(-1, -1, 50, 1000, 1 << 20, -1, 10, 1, Map.of()), new Echo());
      try (Socket first = connect()) {
        DataOutputStream out = new DataOutputStream(first.getOutputStream());
        out.writeInt(1);
        out.write(7);
        assertThat(readFrame(new DataInputStream(first.getInputStream()))).hasSize(1);
        try (Socket second = connect()) {
          assertThat(second.getInputStream().read()).isEqualTo(-1);
        }
        out.writeInt(1);
        out.write(7);
        assertThat(readFrame(new DataInputStream(first.getInputStream()))).hasSize(1);
      }
    }

    @Test
    void aLimitThatIsChangedHoldsForTheNextConnection() throws Exception {
      listen(new NetworkSettings(-1, -1, 50, 1000, 1 << 20, -1, 10, 1, Map.of()), new Echo());
      try (Socket first = connect()) {
        assertThat(isAccepted(first)).isTrue();
        change(() -> network().connections().maxConnectionsPerIp(2));
        try (Socket second = connect()) {
          assertThat(isAccepted(second)).isTrue();
          change(
              () -> {
                network().connections().maxConnections(2);
                network().connections().maxConnectionsPerIp(9);
              });
          try (Socket third = connect()) {
            assertThat(third.getInputStream().read()).isEqualTo(-1);
          }
        }
      }
    }

    /** Returns once the change holds: a peer that connects afterwards meets it. */
    private void change(Runnable change) throws Exception {
      long unused =
          onShard(
              () -> {
                change.run();
                return 0;
              });
    }

    private static boolean isAccepted(Socket socket) throws Exception {
      DataOutputStream out = new DataOutputStream(socket.getOutputStream());
      out.writeInt(1);
      out.write(7);
      return readFrame(new DataInputStream(socket.getInputStream())).length == 1;
    }

    @Test
    void aPortInUseIsNamedWithTheRemedy() throws Exception {
      listen(NetworkSettings.defaults(), new Echo());
      NettyListener second = new NettyListener(network(), "PLAINTEXT", c -> new Echo());
      assertThatThrownBy(() -> second.bind(loopback(port())))
          .isInstanceOf(BindFailure.class)
          .hasMessageContaining("port " + port())
          .hasMessageContaining("in use")
          .hasMessageContaining("choose another port");
    }

    @Test
    void connectionsOfAllListenersCountTogether() throws Exception {
      ShardNetwork shared =
          new ShardNetwork(
              shard(), new NetworkSettings(-1, -1, 50, 1000, 1 << 20, -1, 2, 10, Map.of()));
      listen(shared, c -> new Echo());
      try (Socket first = connect()) {
        assertThat(echoOf(first)).hasSize(10);
        listen(shared, c -> new Echo());
        try (Socket second = connect()) {
          assertThat(echoOf(second)).hasSize(10);
          try (Socket third = connect()) {
            assertThat(third.getInputStream().read()).isEqualTo(-1);
          }
        }
        assertThat(echoOf(first)).hasSize(10);
      }
    }

    @Test
    void anAddressCanHaveAnotherLimit() throws Exception {
      listen(
          new NetworkSettings(
              -1, -1, 50, 1000, 1 << 20, -1, 10, 1, Map.of(InetAddress.getLoopbackAddress(), 2)),
          new Echo());
      try (Socket first = connect()) {
        assertThat(echoOf(first)).hasSize(10); // accepted, before the next one comes
        try (Socket second = connect()) {
          assertThat(echoOf(second)).hasSize(10);
          try (Socket third = connect()) {
            assertThat(third.getInputStream().read()).isEqualTo(-1);
          }
        }
      }
    }

    @Test
    void aFloodOfConnectionsIsTurnedAwayAndForgotten() throws Exception {
      listen(new NetworkSettings(-1, -1, 500, 1000, 1 << 20, -1, 20, 1000, Map.of()), new Echo());
      try (Socket healthy = connect()) {
        assertThat(echoOf(healthy)).hasSize(10);
        for (int round = 0; round < 5; round++) {
          List<Socket> flood = new ArrayList<>();
          for (int i = 0; i < 200; i++) {
            flood.add(connect());
          }
          assertThat(echoOf(healthy)).hasSize(10);
          close(flood);
        }
        long left = 1000;
        while (left > 1) { // bounded by the test's time-out
          left = onShard(() -> network().connections().all());
        }
        assertThat(echoOf(healthy)).hasSize(10);
      }
      assertThat(events).isEmpty();
    }

    @Test
    void nothingIsLeftOfAConnectionThatEnded() throws Exception {
      List<WeakReference<Connection>> ended = new ArrayList<>();
      Echo echo = new Echo();
      listen(
          new ShardNetwork(shard(), NetworkSettings.defaults()),
          connection -> {
            ended.add(new WeakReference<>(connection));
            return echo;
          });
      for (int i = 0; i < 20; i++) {
        try (Socket socket = connect()) {
          assertThat(echoOf(socket)).hasSize(10);
        }
      }
      long left = 20;
      for (int i = 0; i < 200 && left > 1; i++) {
        System.gc();
        left = onShard(() -> ended.stream().filter(one -> !one.refersTo(null)).count());
      }
      assertThat(left).as("the transport may still know the last one").isLessThanOrEqualTo(1);
    }

    @Test
    void aPartOfTheFilesIsKeptFromConnections() {
      assertThat(FileDescriptors.connections(Integer.MAX_VALUE, 256)).isEqualTo(128);
      assertThat(FileDescriptors.connections(Integer.MAX_VALUE, 1024)).isEqualTo(512);
      assertThat(FileDescriptors.connections(Integer.MAX_VALUE, 65_536)).isEqualTo(49_152);
      assertThat(FileDescriptors.connections(100, 65_536)).isEqualTo(100);
    }
  }
}
