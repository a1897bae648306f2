package dev.tidemark.server;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelConfig;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.util.UncheckedBooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Turns a connection's byte stream into frames with as few system calls and copies as can be. It
 * tells Netty where to put the next bytes:
 *
 * <ul>
 *   <li>between frames into the shard's scratch buffer, so that one read takes in many small frames
 *       with their sizes; each is then copied to memory of its exact size;
 *   <li>within a frame of which a part is missing straight into that frame's memory.
 * </ul>
 *
 * A frame above {@link #GROWING_ABOVE_BYTES} gets its memory as its bytes arrive: a peer must send
 * what it announces before it costs us that much.
 */
final class FrameReader implements RecvByteBufAllocator, RecvByteBufAllocator.ExtendedHandle {
  /** The size of the shard's scratch buffer. */
  static final int SCRATCH_BYTES = 16 << 10;

  private static final int GROWING_ABOVE_BYTES = 1 << 20;

  /** Reads after which other connections get their turn. */
  private static final int MAX_READS_PER_BURST = 16;

  private static final int SIZE_PREFIX_BYTES = 4;

  private final Sink sink;
  private final FrameMemory memory;
  private final ByteBuf scratch;
  private final int maxFrameBytes;

  private @Nullable ByteBuf frame;
  private int frameBytes;
  private int chargedBytes;
  private int sizePrefix;
  private int sizePrefixBytes;

  private int attemptedBytes;
  private int lastBytes;
  private int reads;

  FrameReader(Sink sink, FrameMemory memory, ByteBuf scratch, int maxFrameBytes) {
    this.sink = sink;
    this.memory = memory;
    this.scratch = scratch;
    this.maxFrameBytes = maxFrameBytes;
  }

  /** Who gets the frames. */
  interface Sink {
    /** False to stop reading for now. */
    boolean wantsMore();

    /** One whole frame; it belongs to the sink. */
    void onFrame(NettyFrame frame);

    /** The peer announced a frame of a size that is not allowed; nothing more can be read. */
    void onBadSize(int bytes);
  }

  /** True while a part of a frame has arrived and a part is missing. */
  boolean isInFrame() {
    return frame != null || sizePrefixBytes > 0;
  }

  /** Takes in what was read into the buffer that {@link #allocate} gave; releases it. */
  void onRead(ByteBuf buffer) {
    try {
      ByteBuf begun = frame;
      if (begun == null) {
        readScratch();
      } else if (begun.writerIndex() == frameBytes) {
        deliver(begun);
      }
    } finally {
      buffer.release();
    }
  }

  private void readScratch() {
    while (scratch.isReadable()) {
      if (!readSize()) {
        return;
      }
      ByteBuf begun = begin();
      begun.writeBytes(scratch, Math.min(begun.writableBytes(), scratch.readableBytes()));
      if (begun.writerIndex() == frameBytes) {
        deliver(begun);
      }
    }
  }

  /** Completes the size prefix; false when more bytes are needed or the size is refused. */
  private boolean readSize() {
    if (sizePrefixBytes == 0 && scratch.readableBytes() >= SIZE_PREFIX_BYTES) {
      sizePrefix = scratch.readInt();
    } else {
      while (sizePrefixBytes < SIZE_PREFIX_BYTES) {
        if (!scratch.isReadable()) {
          return false;
        }
        sizePrefix = sizePrefix << 8 | scratch.readUnsignedByte();
        sizePrefixBytes++;
      }
      sizePrefixBytes = 0;
    }
    if (sizePrefix < 0 || sizePrefix > maxFrameBytes) {
      scratch.skipBytes(scratch.readableBytes());
      sink.onBadSize(sizePrefix);
      return false;
    }
    return true;
  }

  private ByteBuf begin() {
    frameBytes = sizePrefix;
    int initialBytes = Math.min(frameBytes, GROWING_ABOVE_BYTES);
    ByteBuf begun = memory.allocator().directBuffer(initialBytes, frameBytes);
    frame = begun;
    charge(initialBytes);
    return begun;
  }

  private void charge(int bytes) {
    memory.take(bytes - chargedBytes);
    chargedBytes = bytes;
  }

  private void deliver(ByteBuf whole) {
    int charged = chargedBytes;
    frame = null;
    chargedBytes = 0;
    sink.onFrame(new NettyFrame(memory, charged, whole));
  }

  /** Gives back what a broken-off frame holds; the end of use. */
  void close() {
    ByteBuf begun = frame;
    if (begun != null) {
      frame = null;
      begun.release();
      memory.giveBack(chargedBytes);
      chargedBytes = 0;
    }
  }

  @Override
  public ExtendedHandle newHandle() {
    return this;
  }

  @Override
  public ByteBuf allocate(ByteBufAllocator unused) {
    ByteBuf begun = frame;
    if (begun == null) {
      return scratch.clear().retain();
    }
    if (!begun.isWritable()) {
      int bytes = (int) Math.min(frameBytes, 2L * begun.capacity());
      begun.capacity(bytes);
      charge(bytes);
    }
    return begun.retain();
  }

  @Override
  public int guess() {
    return frame == null ? SCRATCH_BYTES : frame.writableBytes();
  }

  @Override
  public void reset(ChannelConfig config) {
    reads = 0;
  }

  @Override
  public void incMessagesRead(int count) {
    reads += count;
  }

  @Override
  public void lastBytesRead(int bytes) {
    lastBytes = bytes;
  }

  @Override
  public int lastBytesRead() {
    return lastBytes;
  }

  @Override
  public void attemptedBytesRead(int bytes) {
    attemptedBytes = bytes;
  }

  @Override
  public int attemptedBytesRead() {
    return attemptedBytes;
  }

  /** A read that did not fill its buffer has emptied the socket. */
  @Override
  public boolean continueReading() {
    return lastBytes == attemptedBytes && reads < MAX_READS_PER_BURST && sink.wantsMore();
  }

  @Override
  public boolean continueReading(UncheckedBooleanSupplier maybeMoreData) {
    return continueReading();
  }

  @Override
  public void readComplete() {}
}
