package dev.tidemark.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.env.Clock;
import dev.tidemark.env.Connection;
import dev.tidemark.env.InboundFrame;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/**
 * Frames in memory are bounded, and no peer keeps the memory from others. Every test runs on each
 * transport that works here.
 */
class FrameMemoryTest {
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
    void framesInMemoryAreBoundedAndReadingGoesOnWhenTheyAreGivenBack() throws Exception {
      LinkedBlockingQueue<InboundFrame> held = new LinkedBlockingQueue<>();
      NetworkSettings base = NetworkSettings.defaults();
      int limit = 64 * KIB;
      listen(
          new NetworkSettings(-1, -1, 50, base.maxRequestBytes(), limit, -1, 1000, 1000, Map.of()),
          new Quiet() {
            @Override
            public void onFrame(Connection connection, InboundFrame frame) {
              held.add(frame);
            }
          });
      int frameBytes = 32 * KIB;
      int connections = 6;
      List<Socket> sockets = new ArrayList<>();
      for (int i = 0; i < connections; i++) {
        Socket socket = connect();
        sockets.add(socket);
        DataOutputStream out = new DataOutputStream(socket.getOutputStream());
        out.writeInt(frameBytes);
        out.write(new byte[frameBytes]);
        out.writeInt(frameBytes);
        out.write(new byte[frameBytes]);
        out.flush();
      }
      int total = 0;
      while (total < 2 * connections) {
        InboundFrame frame = held.poll(10, TimeUnit.SECONDS);
        assertThat(frame).as("frame %d", total).isNotNull();
        assertThat(usedBytes()).isLessThanOrEqualTo(limit + (long) frameBytes);
        shard().execute(frame::release);
        total++;
      }
      assertThat(usedBytes()).isZero();
      close(sockets);
    }

    @Test
    void unfinishedBigFramesHoldUpNeitherOthersNorMoreMemoryThanOneOfThemAboveTheLimit()
        throws Exception {
      int limit = 8 << 20;
      int frameBytes = 7 << 20;
      int sentBytes = 5 << 20;
      int peers = 4;
      NetworkSettings settings =
          new NetworkSettings(-1, -1, 50, frameBytes, limit, -1, 1000, 1000, Map.of());
      HeldFrames unhurried = new HeldFrames(new StoppedClock(), shard().timers());
      listen(
          new ShardNetwork(
              shard(),
              settings,
              new FrameMemory(limit, shard(), FrameMemory.pooled(), unhurried),
              new UnsentAnswers(UnsentAnswers.DEFAULT_MAX_BYTES)),
          connection -> new Echo());
      AtomicLong mostUsed = new AtomicLong();
      shard().execute(() -> sample(mostUsed));
      CountDownLatch mayFinish = new CountDownLatch(1);
      List<CompletableFuture<byte[]>> answers = new ArrayList<>();
      List<Socket> sockets = new ArrayList<>();
      for (int i = 0; i < peers; i++) {
        Socket socket = connect();
        sockets.add(socket);
        byte filling = (byte) i;
        CompletableFuture<byte[]> answer = new CompletableFuture<>();
        answers.add(answer);
        Thread peer =
            new Thread(
                () -> {
                  try {
                    byte[] frame = new byte[frameBytes];
                    java.util.Arrays.fill(frame, filling);
                    DataOutputStream out = new DataOutputStream(socket.getOutputStream());
                    out.writeInt(frameBytes);
                    out.write(frame, 0, sentBytes);
                    mayFinish.await();
                    out.write(frame, sentBytes, frameBytes - sentBytes);
                    answer.complete(readFrame(new DataInputStream(socket.getInputStream())));
                  } catch (IOException | InterruptedException e) {
                    answer.completeExceptionally(e);
                  }
                });
        peer.start();
      }
      try (Socket healthy = connect()) {
        DataOutputStream out = new DataOutputStream(healthy.getOutputStream());
        DataInputStream in = new DataInputStream(healthy.getInputStream());
        for (int i = 0; i < 500 || mostUsed.get() < frameBytes; i++) {
          out.writeInt(1000);
          out.write(new byte[1000]);
          assertThat(readFrame(in)).hasSize(1000);
        }
        mayFinish.countDown();
        for (int i = 0; i < peers; i++) {
          byte[] sent = new byte[frameBytes];
          java.util.Arrays.fill(sent, (byte) i);
          assertThat(java.util.Arrays.equals(answers.get(i).get(20, TimeUnit.SECONDS), sent))
              .as("the frame of peer %d came back as it was", i)
              .isTrue();
        }
      }
      assertThat(mostUsed.get()).isLessThanOrEqualTo(limit + (long) frameBytes);
      assertThat(events).isEmpty();
      close(sockets);
    }

    /** On which nobody is ever too slow. */
    private static final class StoppedClock implements Clock {
      @Override
      public long wallMs() {
        return 0;
      }

      @Override
      public long monotonicNs() {
        return 0;
      }
    }

    private void sample(AtomicLong mostUsed) {
      mostUsed.accumulateAndGet(network().memory().usedBytes(), Math::max);
      shard().timers().schedule(1, () -> sample(mostUsed));
    }

    @Test
    void aBigFrameThatIsBrokenOffLetsTheNextOneBegin() throws Exception {
      int frameBytes = 4 << 20;
      listen(
          new NetworkSettings(-1, -1, 50, frameBytes, 1 << 20, -1, 1000, 1000, Map.of()),
          new Echo());
      try (Socket brokenOff = connect();
          Socket next = connect()) {
        new DataOutputStream(brokenOff.getOutputStream()).writeInt(frameBytes);
        awaitUsed(frameBytes);
        DataOutputStream out = new DataOutputStream(next.getOutputStream());
        out.writeInt(frameBytes);
        out.write(new byte[10_000]);
        brokenOff.shutdownOutput();
        out.write(new byte[frameBytes - 10_000]);
        assertThat(readFrame(new DataInputStream(next.getInputStream()))).hasSize(frameBytes);
      }
    }

    @Test
    void peersThatDoNotFinishTheirFramesDoNotKeepSmallOnesOfOthersFromBeingServed()
        throws Exception {
      int frameBytes = 100 * KIB;
      listen(
          new NetworkSettings(-1, -1, 50, frameBytes, 256 * KIB, -1, 1000, 1000, Map.of()),
          new Echo());
      List<Socket> unfinished = new ArrayList<>();
      for (int i = 0; i < 10; i++) {
        Socket socket = connect();
        unfinished.add(socket);
        DataOutputStream out = new DataOutputStream(socket.getOutputStream());
        out.writeInt(frameBytes);
        out.writeShort(3);
        out.flush();
      }
      for (int i = 0; i < 3; i++) {
        try (Socket healthy = connect()) {
          healthy.setSoTimeout(10_000);
          DataOutputStream out = new DataOutputStream(healthy.getOutputStream());
          out.writeInt(4);
          out.writeInt(i);
          out.flush();
          assertThat(readFrame(new DataInputStream(healthy.getInputStream()))).hasSize(4);
        }
      }
      close(unfinished);
    }

    @Test
    void whoDoesNotGoOnWithItsFrameIsEndedWhenOthersWaitForTheMemory() throws Exception {
      int frameBytes = 64 * KIB;
      listen(settings(frameBytes, 4 * frameBytes), new Echo());
      List<Socket> stalled = unfinished(12, frameBytes);
      try (Socket healthy = connect()) {
        assertThat(echoOf(healthy, frameBytes)).hasSize(frameBytes);
      }
      // Four frames fit the memory, so the healthy one began when at least eight others had ended;
      // which ones is not said, for connections may be accepted in another order.
      long ended = 0;
      while (ended < 8) { // bounded by the test's time-out
        ended = 0;
        for (Socket socket : stalled) {
          ended += isEnded(socket) ? 1 : 0;
        }
      }
      close(stalled);
    }

    private static boolean isEnded(Socket socket) throws IOException {
      socket.setSoTimeout(1);
      try {
        return socket.getInputStream().read() == -1;
      } catch (SocketTimeoutException e) {
        return false;
      } catch (SocketException e) {
        return true; // reset, for what it sent was not read
      }
    }

    @Test
    void whoWaitsForAFrameInVainIsLeftAloneWhileNobodyWaitsForTheMemory() throws Exception {
      int frameBytes = 64 * KIB;
      listen(settings(frameBytes, 8 * frameBytes), new Echo());
      List<Socket> slow = unfinished(4, frameBytes);
      long until = System.nanoTime() + 4L * HeldFrames.LOOK_EVERY_MS * 1_000_000;
      try (Socket healthy = connect()) {
        while (System.nanoTime() < until) {
          assertThat(echoOf(healthy, frameBytes)).hasSize(frameBytes);
        }
      }
      for (Socket socket : slow) {
        socket.getOutputStream().write(new byte[frameBytes - 2]);
        assertThat(readFrame(new DataInputStream(socket.getInputStream()))).hasSize(frameBytes);
      }
      close(slow);
    }

    /** The bound is the node's: with one of its own each listener would add to it. */
    @Test
    void allListenersShareTheMemory() throws Exception {
      int frameBytes = 64 * KIB;
      ShardNetwork shared = new ShardNetwork(shard(), settings(frameBytes, frameBytes));
      listen(shared, c -> new Echo());
      List<Socket> sockets = new ArrayList<>(unfinished(1, frameBytes));
      awaitUsed(frameBytes);
      listen(shared, c -> new Echo());
      sockets.addAll(unfinished(1, frameBytes));
      try (Socket small = connect()) {
        assertThat(echoOf(small)).hasSize(10); // the second listener has read what came
      }
      assertThat(usedBytes()).isEqualTo(frameBytes);
      close(sockets);
    }

    private static NetworkSettings settings(int maxFrameBytes, int memoryBytes) {
      return new NetworkSettings(-1, -1, 50, maxFrameBytes, memoryBytes, -1, 1000, 1000, Map.of());
    }

    private List<Socket> unfinished(int peers, int frameBytes) throws IOException {
      List<Socket> sockets = new ArrayList<>();
      for (int i = 0; i < peers; i++) {
        Socket socket = connect();
        sockets.add(socket);
        DataOutputStream out = new DataOutputStream(socket.getOutputStream());
        out.writeInt(frameBytes);
        out.writeShort(3);
        out.flush();
      }
      return sockets;
    }
  }
}
