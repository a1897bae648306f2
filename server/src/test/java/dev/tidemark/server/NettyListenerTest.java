package dev.tidemark.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tidemark.env.Connection;
import dev.tidemark.env.Directory;
import dev.tidemark.env.InboundFrame;
import dev.tidemark.env.LogFile;
import dev.tidemark.env.OutboundFrame;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Every test runs on each transport that works here. */
class NettyListenerTest {
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

  abstract static class Cases {
    private static final int KIB = 1024;

    private final NettyIo io;
    private final BackgroundPool pool = new BackgroundPool(1);
    private final LinkedBlockingQueue<String> events = new LinkedBlockingQueue<>();
    @TempDir Path folder;
    private NettyShard shard;
    private @Nullable NettyListener started;
    private FrameMemory memory = new FrameMemory(0, Runnable::run);
    private int port;

    Cases(NettyIo io) {
      this.io = io;
    }

    @BeforeEach
    void start() {
      shard =
          new NettyShard(
              "shard-0", io, pool, new SecureRandomness(), (n, t) -> events.add("failed " + t));
    }

    @AfterEach
    void stop() throws InterruptedException {
      if (started != null) {
        started.close();
      }
      shard.stop();
      pool.stop();
    }

    private void listen(NetworkSettings settings, Connection.Listener handler)
        throws IOException, InterruptedException {
      listen(new NettyListener(shard, "PLAINTEXT", settings, c -> handler));
    }

    private void listen(NettyListener listener) throws IOException, InterruptedException {
      started = listener;
      memory = listener.memory();
      port = listener.bind(loopback(0)).getPort();
      listener.accept();
    }

    private static InetSocketAddress loopback(int port) {
      return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    }

    private Socket connect() throws IOException {
      Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
      socket.setSoTimeout(20_000);
      socket.setTcpNoDelay(true);
      return socket;
    }

    @Test
    void framesOfAllSizesComeBackWholeAndInOrder() throws Exception {
      listen(NetworkSettings.defaults(), new Echo());
      Random random = new Random(42);
      List<byte[]> frames = new ArrayList<>();
      for (int i = 0; i < 400; i++) {
        byte[] frame = new byte[i % 50 == 0 ? random.nextInt(3_000_000) : random.nextInt(20_000)];
        random.nextBytes(frame);
        frames.add(frame);
      }
      try (Socket socket = connect()) {
        CompletableFuture<Void> writing =
            CompletableFuture.runAsync(
                () -> {
                  try {
                    DataOutputStream out = new DataOutputStream(socket.getOutputStream());
                    for (byte[] frame : frames) {
                      out.writeInt(frame.length);
                      out.write(frame);
                    }
                    out.flush();
                  } catch (IOException e) {
                    throw new java.io.UncheckedIOException(e);
                  }
                });
        DataInputStream in = new DataInputStream(socket.getInputStream());
        for (byte[] frame : frames) {
          assertThat(readFrame(in)).isEqualTo(frame);
        }
        writing.get(20, TimeUnit.SECONDS);
      }
    }

    @Test
    void aFrameThatArrivesByteByByteIsWhole() throws Exception {
      listen(NetworkSettings.defaults(), new Echo());
      byte[] frame = "slowly".getBytes(java.nio.charset.StandardCharsets.UTF_8);
      try (Socket socket = connect()) {
        socket.setTcpNoDelay(true);
        byte[] wire = ByteBuffer.allocate(10).putInt(6).put(frame).array();
        for (byte one : wire) {
          socket.getOutputStream().write(one);
          socket.getOutputStream().flush();
        }
        assertThat(readFrame(new DataInputStream(socket.getInputStream()))).isEqualTo(frame);
      }
    }

    @Test
    void aSizeThatIsNotAllowedEndsTheConnectionAndLeavesOthersAlone() throws Exception {
      listen(withMaxRequest(1000), new Echo());
      try (Socket good = connect();
          Socket negative = connect();
          Socket tooBig = connect()) {
        new DataOutputStream(negative.getOutputStream()).writeInt(-1);
        new DataOutputStream(tooBig.getOutputStream()).writeInt(1001);
        assertThat(negative.getInputStream().read()).isEqualTo(-1);
        assertThat(tooBig.getInputStream().read()).isEqualTo(-1);
        DataOutputStream out = new DataOutputStream(good.getOutputStream());
        out.writeInt(1000);
        out.write(new byte[1000]);
        assertThat(readFrame(new DataInputStream(good.getInputStream()))).hasSize(1000);
      }
    }

    @Test
    void fileSlicesGoOutBetweenBytesAndAreReleasedWhenSent() throws Exception {
      byte[] content = new byte[300 * KIB];
      new Random(1).nextBytes(content);
      LogFile file = new FileDirectory(folder).open("a.log", Directory.OpenMode.READ_WRITE);
      file.write(ByteBuffer.wrap(content), 0);
      AtomicReference<OpenFile> open = new AtomicReference<>();
      listen(
          NetworkSettings.defaults(),
          new Quiet() {
            @Override
            public void onFrame(Connection connection, InboundFrame frame) {
              int length = frame.buffer().getInt();
              frame.release();
              try {
                ChannelSlice slice = (ChannelSlice) file.slice(7, length);
                open.set(slice.file());
                connection.send(
                    OutboundFrame.of(
                        List.of(
                            new OutboundFrame.Bytes(ByteBuffer.allocate(4).putInt(0, length + 1)),
                            new OutboundFrame.Slice(slice),
                            new OutboundFrame.Bytes(ByteBuffer.wrap(new byte[] {99})))));
              } catch (IOException e) {
                throw new java.io.UncheckedIOException(e);
              }
            }

            @Override
            public void onDrained(Connection connection) {
              events.add("drained");
            }
          });
      try (Socket socket = connect()) {
        DataOutputStream out = new DataOutputStream(socket.getOutputStream());
        DataInputStream in = new DataInputStream(socket.getInputStream());
        for (int length : new int[] {5, 100, 17 * KIB, 290 * KIB}) {
          out.writeInt(4);
          out.writeInt(length);
          byte[] answer = readFrame(in);
          assertThat(answer).hasSize(length + 1);
          assertThat(answer[length]).isEqualTo((byte) 99);
          assertThat(java.util.Arrays.copyOf(answer, length))
              .isEqualTo(java.util.Arrays.copyOfRange(content, 7, 7 + length));
          assertThat(events.poll(10, TimeUnit.SECONDS)).isEqualTo("drained");
        }
      }
      file.close();
      assertThat(java.util.Objects.requireNonNull(open.get()).channel().isOpen())
          .as("closed with its last slice")
          .isFalse();
    }

    @Test
    void aPausedConnectionIsNotReadUntilResumed() throws Exception {
      AtomicReference<Connection> paused = new AtomicReference<>();
      CountDownLatch first = new CountDownLatch(1);
      AtomicInteger frames = new AtomicInteger();
      listen(
          NetworkSettings.defaults(),
          new Quiet() {
            @Override
            public void onFrame(Connection connection, InboundFrame frame) {
              frame.release();
              if (frames.incrementAndGet() == 1) {
                connection.pauseReading(true);
                paused.set(connection);
                first.countDown();
              } else {
                events.add("frame");
              }
            }
          });
      try (Socket socket = connect()) {
        DataOutputStream out = new DataOutputStream(socket.getOutputStream());
        out.writeInt(1);
        out.write(1);
        assertThat(first.await(10, TimeUnit.SECONDS)).isTrue();
        out.writeInt(1);
        out.write(1);
        assertThat(events.poll(200, TimeUnit.MILLISECONDS)).isNull();
        shard.execute(() -> java.util.Objects.requireNonNull(paused.get()).pauseReading(false));
        assertThat(events.poll(10, TimeUnit.SECONDS)).isEqualTo("frame");
      }
    }

    @Test
    void framesInMemoryAreBoundedAndReadingGoesOnWhenTheyAreGivenBack() throws Exception {
      LinkedBlockingQueue<InboundFrame> held = new LinkedBlockingQueue<>();
      NetworkSettings base = NetworkSettings.defaults();
      int limit = 64 * KIB;
      listen(
          new NetworkSettings(-1, -1, 50, base.maxRequestBytes(), limit, -1, 1000, 1000),
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
        CompletableFuture<Long> used = new CompletableFuture<>();
        shard.execute(() -> used.complete(memory.usedBytes()));
        assertThat(used.get(10, TimeUnit.SECONDS)).isLessThanOrEqualTo(limit + (long) frameBytes);
        shard.execute(frame::release);
        total++;
      }
      CompletableFuture<Long> used = new CompletableFuture<>();
      shard.execute(() -> used.complete(memory.usedBytes()));
      assertThat(used.get(10, TimeUnit.SECONDS)).isZero();
      for (Socket socket : sockets) {
        socket.close();
      }
    }

    @Test
    void unfinishedBigFramesHoldUpNeitherOthersNorMoreMemoryThanOneOfThemAboveTheLimit()
        throws Exception {
      int limit = 8 << 20;
      int frameBytes = 7 << 20;
      int sentBytes = 5 << 20;
      int peers = 4;
      listen(new NetworkSettings(-1, -1, 50, frameBytes, limit, -1, 1000, 1000), new Echo());
      AtomicLong mostUsed = new AtomicLong();
      shard.execute(() -> sample(mostUsed));
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
      for (Socket socket : sockets) {
        socket.close();
      }
    }

    private void sample(AtomicLong mostUsed) {
      mostUsed.accumulateAndGet(memory.usedBytes(), Math::max);
      shard.timers().schedule(1, () -> sample(mostUsed));
    }

    @Test
    void aBigFrameThatIsBrokenOffLetsTheNextOneBegin() throws Exception {
      int frameBytes = 4 << 20;
      listen(new NetworkSettings(-1, -1, 50, frameBytes, 1 << 20, -1, 1000, 1000), new Echo());
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

    private void awaitUsed(long bytes) throws Exception {
      long used = -1;
      while (used != bytes) {
        CompletableFuture<Long> now = new CompletableFuture<>();
        shard.execute(() -> now.complete(memory.usedBytes()));
        used = now.get(10, TimeUnit.SECONDS);
      }
    }

    @Test
    void anAnswerForWhichThereIsNoMemoryEndsItsConnectionOnly() throws Exception {
      AtomicBoolean noMemory = new AtomicBoolean();
      NetworkSettings settings = NetworkSettings.defaults();
      FrameMemory scarce =
          new FrameMemory(
              settings.maxQueuedBytes(),
              shard::execute,
              new PooledByteBufAllocator(true) {
                @Override
                protected ByteBuf newDirectBuffer(int initialCapacity, int maxCapacity) {
                  if (noMemory.get()) {
                    throw new OutOfMemoryError("none for this test");
                  }
                  return super.newDirectBuffer(initialCapacity, maxCapacity);
                }
              });
      LogFile file = new FileDirectory(folder).open("a.log", Directory.OpenMode.READ_WRITE);
      file.write(ByteBuffer.wrap(new byte[100]), 0);
      ChannelSlice slice = (ChannelSlice) file.slice(0, 100);
      file.close();
      AtomicReference<Connection> asked = new AtomicReference<>();
      Echo echo = new Echo();
      listen(
          new NettyListener(
              shard,
              "PLAINTEXT",
              settings,
              c -> {
                asked.compareAndSet(null, c);
                return echo;
              },
              scarce));
      try (Socket starved = connect();
          Socket other = connect()) {
        assertThat(echoOf(starved)).hasSize(10);
        shard.execute(
            () -> {
              noMemory.set(true);
              java.util.Objects.requireNonNull(asked.get())
                  .send(OutboundFrame.of(List.of(new OutboundFrame.Slice(slice))));
              noMemory.set(false);
            });
        assertThat(starved.getInputStream().read()).isEqualTo(-1);
        assertThat(echoOf(other)).hasSize(10);
      }
      assertThat(slice.file().channel().isOpen()).as("the slice is still held").isFalse();
      assertThat(events).isEmpty();
    }

    private static byte[] echoOf(Socket socket) throws IOException {
      DataOutputStream out = new DataOutputStream(socket.getOutputStream());
      out.writeInt(10);
      out.write(new byte[10]);
      return readFrame(new DataInputStream(socket.getInputStream()));
    }

    @Test
    void aPeerThatDoesNotReadItsAnswersIsNotReadFrom() throws Exception {
      AtomicInteger frames = new AtomicInteger();
      byte[] answer = new byte[64 * KIB];
      ByteBuffer.wrap(answer).putInt(answer.length - 4);
      listen(
          NetworkSettings.defaults(),
          new Quiet() {
            @Override
            public void onFrame(Connection connection, InboundFrame frame) {
              frame.release();
              frames.incrementAndGet();
              connection.send(
                  OutboundFrame.of(List.of(new OutboundFrame.Bytes(ByteBuffer.wrap(answer)))));
            }
          });
      int requests = 2000;
      byte[] request = new byte[10_000];
      try (Socket socket = connect()) {
        socket.setReceiveBufferSize(64 * KIB);
        CompletableFuture<Void> writing =
            CompletableFuture.runAsync(
                () -> {
                  try {
                    DataOutputStream out = new DataOutputStream(socket.getOutputStream());
                    for (int i = 0; i < requests; i++) {
                      out.writeInt(request.length);
                      out.write(request);
                    }
                    out.flush();
                  } catch (IOException e) {
                    throw new java.io.UncheckedIOException(e);
                  }
                });
        assertThatThrownBy(() -> writing.get(1, TimeUnit.SECONDS))
            .as("the peer is held back")
            .isInstanceOf(java.util.concurrent.TimeoutException.class);
        // The kernel's buffers hold some answers, and one burst of reads may pass the bound.
        assertThat(frames.get()).isLessThan(requests / 10);
        DataInputStream in = new DataInputStream(socket.getInputStream());
        for (int i = 0; i < requests; i++) {
          assertThat(readFrame(in)).hasSize(answer.length - 4);
        }
        writing.get(10, TimeUnit.SECONDS);
      }
    }

    @Test
    void peersThatDoNotFinishTheirFramesDoNotKeepSmallOnesOfOthersFromBeingServed()
        throws Exception {
      int frameBytes = 100 * KIB;
      listen(new NetworkSettings(-1, -1, 50, frameBytes, 256 * KIB, -1, 1000, 1000), new Echo());
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
      for (Socket socket : unfinished) {
        socket.close();
      }
    }

    /** They all come with one read: the bound has to hold between frames, not between reads. */
    @Test
    void ofManySmallRequestsOnlyThoseAreServedWhoseAnswersAreTaken() throws Exception {
      AtomicInteger frames = new AtomicInteger();
      byte[] answer = new byte[64 * KIB];
      ByteBuffer.wrap(answer).putInt(answer.length - 4);
      listen(
          NetworkSettings.defaults(),
          new Quiet() {
            @Override
            public void onFrame(Connection connection, InboundFrame frame) {
              frame.release();
              frames.incrementAndGet();
              connection.send(
                  OutboundFrame.of(List.of(new OutboundFrame.Bytes(ByteBuffer.wrap(answer)))));
            }
          });
      int requests = 1500;
      ByteBuffer all = ByteBuffer.allocate(requests * 8);
      for (int i = 0; i < requests; i++) {
        all.putInt(4).putInt(i);
      }
      try (Socket socket = connect();
          Socket other = connect()) {
        socket.setReceiveBufferSize(64 * KIB);
        socket.getOutputStream().write(all.array());
        for (int i = 0; i < 3; i++) { // the shard has been through the other peer's frames
          other.getOutputStream().write(all.array(), 0, 8);
          readFrame(new DataInputStream(other.getInputStream()));
        }
        assertThat(frames.get()).isLessThan(requests / 5);
        DataInputStream in = new DataInputStream(socket.getInputStream());
        for (int i = 0; i < requests; i++) {
          assertThat(readFrame(in)).hasSize(answer.length - 4);
        }
      }
    }

    @Test
    void closeAfterSendingSendsFirst() throws Exception {
      listen(
          NetworkSettings.defaults(),
          new Quiet() {
            @Override
            public void onFrame(Connection connection, InboundFrame frame) {
              frame.release();
              byte[] answer = new byte[1 << 20];
              ByteBuffer.wrap(answer).putInt(answer.length - 4);
              connection.send(
                  OutboundFrame.of(List.of(new OutboundFrame.Bytes(ByteBuffer.wrap(answer)))));
              connection.closeAfterSending();
            }

            @Override
            public void onClosed(Connection connection) {
              events.add("closed");
            }
          });
      try (Socket socket = connect()) {
        new DataOutputStream(socket.getOutputStream()).writeInt(0);
        DataInputStream in = new DataInputStream(socket.getInputStream());
        assertThat(readFrame(in)).hasSize((1 << 20) - 4);
        assertThat(in.read()).isEqualTo(-1);
      }
      assertThat(events.poll(10, TimeUnit.SECONDS)).isEqualTo("closed");
    }

    @Test
    void idleConnectionsAreClosed() throws Exception {
      listen(new NetworkSettings(-1, -1, 50, 1000, 1 << 20, 50, 10, 10), new Echo());
      try (Socket socket = connect()) {
        assertThat(socket.getInputStream().read()).isEqualTo(-1);
      }
    }

    @Test
    void connectionsAboveTheLimitPerAddressAreRefused() throws Exception {
      listen(new NetworkSettings(-1, -1, 50, 1000, 1 << 20, -1, 10, 1), new Echo());
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
    void aPortInUseIsNamedWithTheRemedy() throws Exception {
      listen(NetworkSettings.defaults(), new Echo());
      NettyListener second =
          new NettyListener(shard, "PLAINTEXT", NetworkSettings.defaults(), c -> new Echo());
      assertThatThrownBy(() -> second.bind(loopback(port)))
          .isInstanceOf(BindFailure.class)
          .hasMessageContaining("port " + port)
          .hasMessageContaining("in use")
          .hasMessageContaining("choose another port");
    }

    private static NetworkSettings withMaxRequest(int bytes) {
      return new NetworkSettings(-1, -1, 50, bytes, 1 << 20, -1, 100, 100);
    }

    private static byte[] readFrame(DataInputStream in) throws IOException {
      byte[] frame = new byte[in.readInt()];
      in.readFully(frame);
      return frame;
    }
  }

  private abstract static class Quiet implements Connection.Listener {
    @Override
    public void onDrained(Connection connection) {}

    @Override
    public void onClosed(Connection connection) {}
  }

  private static final class Echo extends Quiet {
    @Override
    public void onFrame(Connection connection, InboundFrame frame) {
      ByteBuffer in = frame.buffer();
      ByteBuffer out = ByteBuffer.allocate(4 + in.remaining());
      out.putInt(in.remaining()).put(in).flip();
      frame.release();
      connection.send(OutboundFrame.of(List.of(new OutboundFrame.Bytes(out))));
    }
  }
}
