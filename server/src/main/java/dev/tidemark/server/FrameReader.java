package dev.tidemark.server;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
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
 * A frame begins when {@link FrameMemory} has room for all of it; until then what was read behind
 * its size is held, and nothing more is read. A big one gets its whole memory once the first {@link
 * FrameMemory#BIG_ABOVE_BYTES} have arrived: who only announces costs little.
 */
final class FrameReader implements RecvByteBufAllocator, RecvByteBufAllocator.ExtendedHandle {
  /** The size of the shard's scratch buffer. */
  static final int SCRATCH_BYTES = 16 << 10;

  /** Reads after which other connections get their turn. */
  private static final int MAX_READS_PER_BURST = 16;

  private static final int SIZE_PREFIX_BYTES = 4;

  private final Sink sink;
  private final FrameMemory memory;
  private final ByteBuf scratch;
  private final int maxFrameBytes;

  private @Nullable ByteBuf frame;
  private int frameBytes;
  private @Nullable ByteBuf held;
  private @Nullable ByteBuf rest;
  private int sizePrefix;
  private int sizePrefixBytes;

  private int attemptedBytes;
  private int lastBytes;
  private int reads;
  private long receivedBytes;

  FrameReader(Sink sink, FrameMemory memory, ByteBuf scratch, int maxFrameBytes) {
    this.sink = sink;
    this.memory = memory;
    this.scratch = scratch;
    this.maxFrameBytes = maxFrameBytes;
  }

  /** Who gets the frames. */
  interface Sink {
    /** False to stop for now: no further frame is delivered, nor anything read. */
    boolean wantsMore();

    /** A frame has begun of which a part is still to come. */
    void onUnfinished();

    /** One whole frame, charged with its size; it belongs to the sink. */
    void onFrame(ByteBuf frame);

    /**
     * The next frame waits for memory: nothing is to be read before {@link
     * FrameReader#onMemoryFree}.
     */
    void onNoMemory(int frameBytes);

    /** The peer announced a frame of a size that is not allowed; nothing more can be read. */
    void onBadSize(int bytes);
  }

  /** The size of the frame that waits for memory. */
  int awaitedBytes() {
    return sizePrefix;
  }

  /** Takes in what was read into the buffer that {@link #allocate} gave; releases it. */
  void onRead(ByteBuf buffer) {
    try {
      ByteBuf begun = frame;
      if (begun == null) {
        readFrames(scratch);
      } else if (begun.writerIndex() == frameBytes) {
        deliver(begun);
      }
    } finally {
      buffer.release();
    }
  }

  /** There is room for the frame that waits; goes on with it and with what was read behind it. */
  void onMemoryFree() {
    ByteBuf rest = held;
    if (rest == null) {
      throw new IllegalStateException("no frame waits for memory");
    }
    held = null;
    begin(rest);
    readFrames(rest);
  }

  private void readFrames(ByteBuf source) {
    while (source.isReadable()) {
      if (!sink.wantsMore()) {
        rest = ownCopy(source);
        return;
      }
      if (!readSize(source)) {
        return;
      }
      // A frame that is here as a whole is served even when peers that do not finish theirs hold
      // all the memory: it needs little, for it fits the scratch buffer, and gives it back at once.
      if (source.readableBytes() < sizePrefix && !memory.mayBegin(sizePrefix)) {
        hold(source);
        return;
      }
      begin(source);
    }
  }

  private void hold(ByteBuf source) {
    held = ownCopy(source);
    sink.onNoMemory(sizePrefix);
  }

  /** The scratch buffer is everybody's, so the rest of it moves to a buffer of its exact size. */
  @SuppressWarnings("ReferenceEquality") // which of the two buffers it is, not what is in it
  private ByteBuf ownCopy(ByteBuf source) {
    return source == scratch
        ? Unpooled.buffer(source.readableBytes(), source.readableBytes()).writeBytes(source)
        : source;
  }

  /** True if bytes that were read wait until the sink wants more. */
  boolean hasRest() {
    return rest != null;
  }

  /** The sink wants more again: goes on with what was read before. */
  void readRest() {
    ByteBuf read = rest;
    if (read != null) {
      rest = null;
      readFrames(read);
    }
  }

  /** Completes the size prefix; false when more bytes are needed or the size is refused. */
  private boolean readSize(ByteBuf source) {
    if (sizePrefixBytes == 0 && source.readableBytes() >= SIZE_PREFIX_BYTES) {
      sizePrefix = source.readInt();
    } else {
      while (sizePrefixBytes < SIZE_PREFIX_BYTES) {
        if (!source.isReadable()) {
          return false;
        }
        sizePrefix = sizePrefix << 8 | source.readUnsignedByte();
        sizePrefixBytes++;
      }
      sizePrefixBytes = 0;
    }
    if (sizePrefix < 0 || sizePrefix > maxFrameBytes) {
      source.skipBytes(source.readableBytes());
      sink.onBadSize(sizePrefix);
      return false;
    }
    return true;
  }

  private void begin(ByteBuf source) {
    frameBytes = sizePrefix;
    int initialBytes = Math.min(frameBytes, FrameMemory.BIG_ABOVE_BYTES);
    ByteBuf begun = memory.allocator().directBuffer(initialBytes, frameBytes);
    frame = begun;
    memory.take(frameBytes);
    begun.writeBytes(source, Math.min(begun.writableBytes(), source.readableBytes()));
    if (begun.writerIndex() == frameBytes) {
      deliver(begun);
    } else {
      sink.onUnfinished();
    }
  }

  private void deliver(ByteBuf whole) {
    frame = null;
    sink.onFrame(whole);
  }

  /** The announced size of a frame of which a part is still to come; 0 when there is none. */
  int unfinishedBytes() {
    return frame == null ? 0 : frameBytes;
  }

  /** All bytes that were read so far. */
  long receivedBytes() {
    return receivedBytes;
  }

  /** Gives back what a broken-off frame holds; the end of use. */
  void close() {
    held = null;
    rest = null;
    ByteBuf begun = frame;
    if (begun != null) {
      frame = null;
      begun.release();
      memory.giveBack(frameBytes);
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
      begun.capacity(frameBytes);
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
    receivedBytes += Math.max(bytes, 0);
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
