package dev.tidemark.server;

import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import java.util.ArrayDeque;

/**
 * The memory for received frames of one shard. A frame may begin while less than the limit is in
 * use, so the limit is passed by one frame at most plus what frames that have begun still grow by;
 * connections that find it used up stop reading and go on in turn when frames are given back. Used
 * on the shard only.
 */
final class FrameMemory {
  /** One arena, since one thread allocates; caches would hold memory that nobody else can use. */
  private static final int DIRECT_ARENAS = 1;

  private static final int PAGE_BYTES = 8192;

  /** Chunks of 4 MiB: a full produce request of Kafka's default limit of 1 MiB still fits one. */
  private static final int MAX_ORDER = 9;

  private final PooledByteBufAllocator allocator =
      new PooledByteBufAllocator(true, 0, DIRECT_ARENAS, PAGE_BYTES, MAX_ORDER, 64, 32, true);
  private final long limitBytes;
  private final ArrayDeque<NettyConnection> waiting = new ArrayDeque<>();
  private long usedBytes;

  FrameMemory(long limitBytes) {
    this.limitBytes = limitBytes;
  }

  ByteBufAllocator allocator() {
    return allocator;
  }

  long usedBytes() {
    return usedBytes;
  }

  boolean isExhausted() {
    return usedBytes >= limitBytes;
  }

  void take(int bytes) {
    usedBytes += bytes;
  }

  void giveBack(int bytes) {
    usedBytes -= bytes;
    while (!waiting.isEmpty() && !isExhausted()) {
      waiting.remove().onMemoryFree();
    }
  }

  /** {@code connection} hears {@link NettyConnection#onMemoryFree} when there is room again. */
  void await(NettyConnection connection) {
    waiting.add(connection);
  }

  /** Forgets a connection that ended. */
  void forget(NettyConnection connection) {
    waiting.remove(connection);
  }
}
