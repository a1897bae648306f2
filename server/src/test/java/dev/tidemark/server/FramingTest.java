package dev.tidemark.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.env.Connection;
import dev.tidemark.env.Directory;
import dev.tidemark.env.InboundFrame;
import dev.tidemark.env.LogFile;
import dev.tidemark.env.OutboundFrame;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** Frames arrive and leave whole. Every test runs on each transport that works here. */
class FramingTest {
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
      listen(new NetworkSettings(-1, -1, 50, 1000, 1 << 20, -1, 100, 100, Map.of()), new Echo());
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
  }
}
