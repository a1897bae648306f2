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
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/**
 * Answers that a peer does not take hold up that peer only. Every test runs on each transport that
 * works here.
 */
class UnreadAnswersTest {
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
        // What has come by now is there for the broker to read, and stays there.
        assertThat(events.poll(200, TimeUnit.MILLISECONDS)).isNull();
        shard().execute(() -> java.util.Objects.requireNonNull(paused.get()).pauseReading(false));
        assertThat(events.poll(10, TimeUnit.SECONDS)).isEqualTo("frame");
      }
    }

    @Test
    void anAnswerForWhichThereIsNoMemoryEndsItsConnectionOnly() throws Exception {
      AtomicBoolean noMemory = new AtomicBoolean();
      NetworkSettings settings = NetworkSettings.defaults();
      FrameMemory scarce =
          new FrameMemory(
              settings.maxQueuedBytes(),
              shard(),
              new PooledByteBufAllocator(true) {
                @Override
                protected ByteBuf newDirectBuffer(int initialCapacity, int maxCapacity) {
                  if (noMemory.get()) {
                    throw new OutOfMemoryError("none for this test");
                  }
                  return super.newDirectBuffer(initialCapacity, maxCapacity);
                }
              },
              new HeldFrames(shard().clock(), shard().timers()));
      LogFile file = new FileDirectory(folder).open("a.log", Directory.OpenMode.READ_WRITE);
      file.write(ByteBuffer.wrap(new byte[100]), 0);
      ChannelSlice slice = (ChannelSlice) file.slice(0, 100);
      file.close();
      AtomicReference<Connection> asked = new AtomicReference<>();
      Echo echo = new Echo();
      listen(
          new ShardNetwork(
              shard(), settings, scarce, new UnsentAnswers(UnsentAnswers.DEFAULT_MAX_BYTES)),
          c -> {
            asked.compareAndSet(null, c);
            return echo;
          });
      try (Socket starved = connect();
          Socket other = connect()) {
        assertThat(echoOf(starved)).hasSize(10);
        shard()
            .execute(
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
    void theAnswersOfAllPeersThatDoNotReadAreBoundedTogether() throws Exception {
      int answerBytes = 4 << 20;
      int limit = 3 * answerBytes;
      byte[] answer = new byte[answerBytes];
      ByteBuffer.wrap(answer).putInt(answer.length - 4);
      NetworkSettings settings = NetworkSettings.defaults();
      UnsentAnswers unsent = new UnsentAnswers(limit);
      AtomicInteger asked = new AtomicInteger();
      listen(
          new ShardNetwork(
              shard(),
              settings,
              new FrameMemory(settings.maxQueuedBytes(), shard(), shard().frames()),
              unsent),
          c ->
              new Quiet() {
                @Override
                public void onFrame(Connection connection, InboundFrame frame) {
                  frame.release();
                  asked.incrementAndGet();
                  connection.send(
                      OutboundFrame.of(List.of(new OutboundFrame.Bytes(ByteBuffer.wrap(answer)))));
                }
              });
      List<Socket> deaf = new ArrayList<>();
      for (int i = 0; i < 40; i++) {
        Socket socket = connect();
        deaf.add(socket);
        new DataOutputStream(socket.getOutputStream()).writeInt(0);
        assertThat(onShard(unsent::bytes)).isLessThanOrEqualTo(limit);
      }
      long answered = 0;
      while (answered < deaf.size()) { // bounded by the test's time-out
        answered = onShard(asked::get);
      }
      try (Socket reader = connect()) {
        for (int i = 0; i < 5; i++) {
          new DataOutputStream(reader.getOutputStream()).writeInt(0);
          assertThat(readFrame(new DataInputStream(reader.getInputStream())))
              .hasSize(answerBytes - 4);
        }
      }
      assertThat(onShard(unsent::bytes)).isLessThanOrEqualTo(limit).isPositive();
      close(deaf);
      long left = limit;
      while (left > 0) { // bounded by the test's time-out
        left = onShard(unsent::bytes);
      }
    }

    @Test
    void aPeerThatReadsSlowlyIsNotGivenUpForThoseThatDoNotRead() throws Exception {
      int answerBytes = 16 << 20;
      byte[] answer = new byte[answerBytes];
      ByteBuffer.wrap(answer).putInt(answer.length - 4);
      NetworkSettings settings = // a small buffer of the kernel: every bit of reading shows
          new NetworkSettings(100 * KIB, -1, 50, 1000, 1 << 20, -1, 1000, 1000, Map.of());
      UnsentAnswers unsent = new UnsentAnswers(3L * answerBytes);
      AtomicReference<NettyConnection> first = new AtomicReference<>();
      AtomicInteger asked = new AtomicInteger();
      listen(
          new ShardNetwork(
              shard(),
              settings,
              new FrameMemory(settings.maxQueuedBytes(), shard(), shard().frames()),
              unsent),
          c ->
              new Quiet() {
                @Override
                public void onFrame(Connection connection, InboundFrame frame) {
                  frame.release();
                  first.compareAndSet(null, (NettyConnection) connection);
                  connection.send(
                      OutboundFrame.of(List.of(new OutboundFrame.Bytes(ByteBuffer.wrap(answer)))));
                  asked.incrementAndGet();
                }
              });
      List<Socket> deaf = new ArrayList<>();
      try (Socket slow = connect()) {
        slow.setReceiveBufferSize(64 * KIB);
        new DataOutputStream(slow.getOutputStream()).writeInt(0);
        awaitAsked(asked, 1);
        NettyConnection server = java.util.Objects.requireNonNull(first.get());
        DataInputStream in = new DataInputStream(slow.getInputStream());
        int read = 0;
        for (int i = 2; i < 10; i++) {
          long before = onShard(server::unsentBytesInMemory);
          while (onShard(server::unsentBytesInMemory) >= before) { // the test's time-out bounds it
            in.readFully(new byte[64 * KIB]);
            read += 64 * KIB;
          }
          Socket socket = connect();
          deaf.add(socket);
          new DataOutputStream(socket.getOutputStream()).writeInt(0);
          awaitAsked(asked, i);
        }
        assertThat(onShard(server::unsentBytesInMemory))
            .as("something was left to take")
            .isPositive();
        in.readFully(new byte[answerBytes - read]);
      }
      assertThat(onShard(unsent::bytes)).isLessThanOrEqualTo(3L * answerBytes).isPositive();
      close(deaf);
    }

    private void awaitAsked(AtomicInteger asked, int count) throws Exception {
      while (onShard(asked::get) < count) { // the test's time-out bounds it
        Thread.onSpinWait();
      }
    }
  }
}
