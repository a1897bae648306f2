package dev.tidemark.server;

import dev.tidemark.env.Connection;
import dev.tidemark.env.InboundFrame;
import dev.tidemark.env.OutboundFrame;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A listener on a shard, and peers that talk to it over real sockets. */
abstract class ListenerFixture {
  static final int KIB = 1024;

  final LinkedBlockingQueue<String> events = new LinkedBlockingQueue<>();
  @TempDir Path folder;
  private final NettyIo io;
  private final BackgroundPool pool = new BackgroundPool(1);
  private NettyShard shard;
  private @Nullable ShardNetwork network;
  private final List<NettyListener> listeners = new ArrayList<>();
  private int port;

  ListenerFixture(NettyIo io) {
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
    for (NettyListener listener : listeners) {
      listener.close();
    }
    if (network != null) {
      network.close();
    }
    shard.stop();
    pool.stop();
  }

  NettyShard shard() {
    return shard;
  }

  ShardNetwork network() {
    return Objects.requireNonNull(network);
  }

  int port() {
    return port;
  }

  void listen(NetworkSettings settings, Connection.Listener handler)
      throws IOException, InterruptedException {
    listen(new ShardNetwork(shard, settings), connection -> handler);
  }

  /** The port of {@link #connect} is that of the last listener. */
  void listen(ShardNetwork shared, Connection.Acceptor acceptor)
      throws IOException, InterruptedException {
    network = shared;
    NettyListener listener = new NettyListener(shared, "PLAINTEXT", acceptor);
    listeners.add(listener);
    port = listener.bind(loopback(0)).getPort();
    listener.accept();
  }

  static InetSocketAddress loopback(int port) {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
  }

  Socket connect() throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.setSoTimeout(20_000);
    socket.setTcpNoDelay(true);
    return socket;
  }

  /** What {@code question} answers on the shard. */
  long onShard(LongSupplier question)
      throws InterruptedException, ExecutionException, TimeoutException {
    CompletableFuture<Long> answer = new CompletableFuture<>();
    shard.execute(() -> answer.complete(question.getAsLong()));
    return answer.get(10, TimeUnit.SECONDS);
  }

  long usedBytes() throws InterruptedException, ExecutionException, TimeoutException {
    return onShard(() -> network().memory().usedBytes());
  }

  /** Bounded by the test's time-out. */
  void awaitUsed(long bytes) throws InterruptedException, ExecutionException, TimeoutException {
    long used = -1;
    while (used != bytes) {
      used = usedBytes();
    }
  }

  static byte[] echoOf(Socket socket) throws IOException {
    return echoOf(socket, 10);
  }

  static byte[] echoOf(Socket socket, int bytes) throws IOException {
    // In one write: a small frame then comes as a whole, which is served even without free memory.
    socket.getOutputStream().write(ByteBuffer.allocate(4 + bytes).putInt(bytes).array());
    return readFrame(new DataInputStream(socket.getInputStream()));
  }

  static byte[] readFrame(DataInputStream in) throws IOException {
    byte[] frame = new byte[in.readInt()];
    in.readFully(frame);
    return frame;
  }

  static void close(List<Socket> sockets) throws IOException {
    for (Socket socket : sockets) {
      socket.close();
    }
  }

  abstract static class Quiet implements Connection.Listener {
    @Override
    public void onDrained(Connection connection) {}

    @Override
    public void onClosed(Connection connection) {}
  }

  static final class Echo extends Quiet {
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
