package dev.tidemark.server;

import dev.tidemark.broker.ClientMistakes;
import dev.tidemark.env.Connection;
import dev.tidemark.env.FileSlice;
import dev.tidemark.env.OutboundFrame;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPromise;
import io.netty.channel.socket.SocketChannel;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A peer's connection on its shard. What is sent while a burst of bytes is read leaves in one write
 * at the end of the burst; what is sent at other times leaves at once.
 */
@SuppressWarnings("FutureReturnValueIgnored") // failures come as exceptionCaught, ends as inactive
final class NettyConnection extends ChannelInboundHandlerAdapter
    implements Connection, FrameReader.Sink, HeldFrames.Holder {
  private static final Logger LOG = LoggerFactory.getLogger(NettyConnection.class);

  /** A frame up to this size is gathered into one buffer: one write instead of a sendfile each. */
  private static final int GATHER_UP_TO_BYTES = 16 << 10;

  /** A peer that leaves more of its answers than this unread is not read from until they left. */
  private static final long MAX_UNSENT_BYTES = 256 << 10;

  private static final int PAUSED_BY_LISTENER = 1;
  private static final int PAUSED_BY_MEMORY = 2;
  private static final int PAUSED_BY_UNSENT = 4;

  private final SocketChannel channel;
  private final ConnectionOwner owner;
  private final ShardNetwork network;
  private final String id;
  private final InetSocketAddress remote;
  private final FrameReader reader;
  private @Nullable Listener listener;

  private int pauses;
  private boolean inBurst;
  private boolean needsFlush;
  private boolean awaitsDrain;
  private boolean closing;
  private @Nullable Future<?> idleTimer;
  private boolean isHolder;
  private int heldFrames;
  private long doneFrames;
  private long lastActiveNs = System.nanoTime();

  NettyConnection(SocketChannel channel, ConnectionOwner owner, long number) {
    this.channel = channel;
    this.owner = owner;
    this.network = owner.network();
    this.remote = channel.remoteAddress();
    InetSocketAddress local = channel.localAddress();
    this.id = address(local) + "-" + address(remote) + "-0-" + number;
    this.reader =
        new FrameReader(
            this, network.memory(), network.scratch(), network.settings().maxRequestBytes());
  }

  private static String address(InetSocketAddress address) {
    return address.getAddress().getHostAddress() + ":" + address.getPort();
  }

  FrameReader reader() {
    return reader;
  }

  @Override
  public String id() {
    return id;
  }

  @Override
  public InetAddress remoteAddress() {
    return remote.getAddress();
  }

  @Override
  public int remotePort() {
    return remote.getPort();
  }

  @Override
  public String listenerName() {
    return owner.name();
  }

  // ---- sending

  @Override
  public void send(OutboundFrame frame) {
    if (closing || !channel.isOpen()) {
      frame.release();
      return;
    }
    if (frame.length() <= GATHER_UP_TO_BYTES) {
      sendGathered(frame);
    } else {
      sendParts(frame);
    }
    if (inBurst && unsentBytes() <= MAX_UNSENT_BYTES) {
      needsFlush = true;
    } else {
      flush();
    }
  }

  private long unsentBytes() {
    ChannelOutboundBuffer unsent = channel.unsafe().outboundBuffer();
    return unsent == null ? 0 : unsent.totalPendingWriteBytes();
  }

  private void sendGathered(OutboundFrame frame) {
    int length = frame.length();
    ByteBuf gathered = Unpooled.EMPTY_BUFFER;
    try {
      gathered = network.memory().allocator().directBuffer(length, length);
      for (OutboundFrame.Part part : frame.parts()) {
        if (part instanceof OutboundFrame.Bytes bytes) {
          gathered.writeBytes(bytes.buffer().duplicate());
        } else if (part instanceof OutboundFrame.Slice slice) {
          read(slice.slice(), gathered);
        }
      }
    } catch (IOException | OutOfMemoryError e) {
      gathered.release();
      LOG.error("Closing connection {}: an answer could not be built: {}", id, e.getMessage());
      close();
      return;
    } finally {
      frame.release();
    }
    channel.write(gathered, channel.voidPromise());
  }

  private static void read(FileSlice slice, ByteBuf target) throws IOException {
    int length = slice.length();
    ByteBuffer room = target.internalNioBuffer(target.writerIndex(), length);
    int count = slice.read(room, 0);
    if (count < length) {
      throw new IOException(
          "a slice of " + length + " bytes ends after " + count + "; the file was cut meanwhile");
    }
    target.writerIndex(target.writerIndex() + length);
  }

  private void sendParts(OutboundFrame frame) {
    for (OutboundFrame.Part part : frame.parts()) {
      if (part instanceof OutboundFrame.Bytes bytes) {
        channel.write(Unpooled.wrappedBuffer(bytes.buffer()), channel.voidPromise());
      } else if (part instanceof OutboundFrame.Slice slice) {
        channel.write(new SliceRegion((ChannelSlice) slice.slice()), channel.voidPromise());
      }
    }
  }

  private void flush() {
    needsFlush = false;
    channel.flush();
    ChannelOutboundBuffer unsent = channel.unsafe().outboundBuffer();
    if (unsent == null) {
      return; // closed meanwhile
    }
    if (unsent.isEmpty()) {
      onDrained();
      return;
    }
    if (unsent.totalPendingWriteBytes() > MAX_UNSENT_BYTES) {
      pause(PAUSED_BY_UNSENT);
    }
    awaitDrain();
    network.unsent().update(this, unsentBytesInMemory()); // last: it may close this connection
  }

  /** What waits for the peer now, without slices of files. */
  long unsentBytesInMemory() {
    ChannelOutboundBuffer unsent = channel.unsafe().outboundBuffer();
    long[] bytes = new long[1];
    if (unsent == null) {
      return 0; // closed
    }
    try {
      unsent.forEachFlushedMessage(
          message -> {
            bytes[0] += message instanceof ByteBuf buffer ? buffer.readableBytes() : 0;
            return true;
          });
    } catch (Exception e) { // declared for other visitors
      throw new IllegalStateException(e);
    }
    return bytes[0];
  }

  /** Sends nothing behind all that waits, to hear when it has left. */
  private void awaitDrain() {
    if (awaitsDrain) {
      return;
    }
    awaitsDrain = true;
    ChannelPromise left = channel.newPromise();
    left.addListener(
        result -> {
          awaitsDrain = false;
          ChannelOutboundBuffer unsent = channel.unsafe().outboundBuffer();
          if (!result.isSuccess() || unsent == null) {
            return; // closed; channelInactive says so
          }
          lastActiveNs = System.nanoTime();
          if (unsent.isEmpty()) {
            onDrained();
          } else {
            network.unsent().onProgress(this);
            awaitDrain();
          }
        });
    channel.writeAndFlush(Unpooled.EMPTY_BUFFER, left);
  }

  private void onDrained() {
    network.unsent().forget(this);
    resume(PAUSED_BY_UNSENT);
    if (closing) {
      channel.close();
    } else if (listener != null) {
      listener.onDrained(this);
    }
  }

  @Override
  public void close() {
    closing = true;
    channel.close();
  }

  @Override
  public void closeAfterSending() {
    if (!closing) {
      closing = true;
      pause(PAUSED_BY_LISTENER);
      flush();
    }
  }

  // ---- reading

  @Override
  public void pauseReading(boolean pause) {
    if (pause) {
      pause(PAUSED_BY_LISTENER);
    } else if (!closing) {
      resume(PAUSED_BY_LISTENER);
    }
  }

  private void pause(int reason) {
    if (pauses == 0) {
      channel.config().setAutoRead(false);
    }
    pauses |= reason;
  }

  private void resume(int reason) {
    if ((pauses & reason) != 0) {
      pauses &= ~reason;
      if (pauses == 0 && reader.hasRest()) {
        // As an event of its own: whoever resumes may be in the midst of a frame of this peer.
        channel.eventLoop().execute(this::readRest);
      } else if (pauses == 0) {
        channel.config().setAutoRead(true);
      }
    }
  }

  @Override
  public void onNoMemory(int frameBytes) {
    pause(PAUSED_BY_MEMORY);
    network.memory().await(this, frameBytes);
  }

  /** The frame that waits may begin. */
  void onMemoryFree() {
    if (closing) {
      return;
    }
    inBurst = true;
    resume(PAUSED_BY_MEMORY);
    try {
      reader.onMemoryFree();
    } catch (RuntimeException | OutOfMemoryError e) {
      channel.pipeline().fireExceptionCaught(e);
    }
    endBurst();
  }

  /** Goes on with frames that were read and left when this connection was paused. */
  private void readRest() {
    if (pauses != 0 || closing) {
      return;
    }
    inBurst = true;
    try {
      reader.readRest();
    } catch (RuntimeException | OutOfMemoryError e) {
      channel.pipeline().fireExceptionCaught(e);
    }
    endBurst();
    if (pauses == 0 && !closing) {
      channel.config().setAutoRead(true);
    }
  }

  @Override
  public boolean wantsMore() {
    return pauses == 0 && !closing;
  }

  @Override
  public void channelActive(ChannelHandlerContext context) {
    listener = owner.accepted(this);
    armIdleTimer(network.settings().maxIdleMs());
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    inBurst = true;
    reader.onRead((ByteBuf) message);
  }

  @Override
  public void onFrame(ByteBuf whole) {
    heldFrames++;
    NettyFrame frame = new NettyFrame(this, whole.writerIndex(), whole);
    Listener target = listener;
    if (closing || target == null) {
      frame.release();
      return;
    }
    target.onFrame(this, frame);
    if (heldFrames > 0) {
      becomeHolder();
    }
  }

  @Override
  public void onUnfinished() {
    becomeHolder();
  }

  private void becomeHolder() {
    if (!isHolder && !closing) {
      isHolder = true;
      network.memory().held().add(this);
    }
  }

  /** A frame of this connection is done with. */
  void onReleased(int frameBytes) {
    heldFrames--;
    doneFrames++;
    network.memory().giveBack(frameBytes);
  }

  @Override
  public void onBadSize(int bytes) {
    closeFor(
        ClientMistakes.Kind.REQUEST_SIZE,
        "it announced a request of %d bytes, allowed are 0 to %d (socket.request.max.bytes). Is the peer a Kafka client?"
            .formatted(bytes, network.settings().maxRequestBytes()));
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext context) {
    endBurst();
  }

  private void endBurst() {
    inBurst = false;
    lastActiveNs = System.nanoTime();
    if (needsFlush) {
      flush();
    }
  }

  // ---- what HeldFrames looks at

  @Override
  public boolean holdsFrames() {
    return heldFrames > 0 || reader.unfinishedBytes() > 0;
  }

  @Override
  public boolean isReceivingFrame() {
    return reader.unfinishedBytes() > 0 && (pauses & PAUSED_BY_LISTENER) == 0;
  }

  @Override
  public int unfinishedFrameBytes() {
    return reader.unfinishedBytes();
  }

  @Override
  public long receivedBytes() {
    return reader.receivedBytes();
  }

  @Override
  public long doneFrames() {
    return doneFrames;
  }

  @Override
  public void letGoOfHolders() {
    isHolder = false;
  }

  @Override
  public void endForHoldingMemory() {
    int unfinished = reader.unfinishedBytes();
    String what =
        unfinished > 0
            ? "its request of %d bytes does not arrive".formatted(unfinished)
            : "its requests wait behind each other";
    closeFor(
        ClientMistakes.Kind.MEMORY_HELD,
        what + " while others wait for the memory (queued.max.request.bytes)");
  }

  void endForNotReading() {
    closeFor(
        ClientMistakes.Kind.ANSWERS_NOT_READ,
        "it does not read its answers, and too many answers wait in memory");
  }

  // ---- the end

  private void closeFor(ClientMistakes.Kind kind, String why) {
    if (!closing && network.mistakes().mayTell(kind)) {
      LOG.warn("Closing connection {}: {}", id, why);
    }
    close();
  }

  /** One timer per connection that looks again when it would be due, instead of one per message. */
  private void armIdleTimer(long delayMs) {
    if (network.settings().maxIdleMs() > 0) {
      idleTimer = channel.eventLoop().schedule(this::checkIdle, delayMs, TimeUnit.MILLISECONDS);
    }
  }

  private void checkIdle() {
    if (!channel.isOpen()) {
      return;
    }
    long maxIdleMs = network.settings().maxIdleMs();
    long idleMs = (System.nanoTime() - lastActiveNs) / 1_000_000;
    if (idleMs >= maxIdleMs) {
      LOG.debug("Closing connection {}: idle for {} ms (connections.max.idle.ms).", id, idleMs);
      close();
    } else {
      armIdleTimer(maxIdleMs - idleMs);
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    closing = true;
    if (idleTimer != null) {
      idleTimer.cancel(false); // it would keep this connection in memory until it is due
    }
    reader.close();
    network.memory().forget(this);
    network.unsent().forget(this);
    owner.closed(this);
    Listener target = listener;
    listener = null;
    if (target != null) {
      target.onClosed(this);
    }
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    if (closing) {
      return; // the rest of what we ended ourselves
    }
    if (cause instanceof OutOfMemoryError) {
      LOG.error("Closing connection {}: no memory for its request: {}", id, cause.getMessage());
    } else if (cause instanceof IOException) {
      LOG.debug("Closing connection {}: {}", id, cause.getMessage());
    } else {
      LOG.error("Closing connection {} after an unexpected failure.", id, cause);
    }
    close();
  }
}
