package dev.tidemark.server;

import dev.tidemark.env.Shard;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * The memory for received frames of a node's clients. A frame is charged with its announced size
 * when it begins, and one that does not fit waits, so the limit is passed by one frame at most, and
 * by small frames that came with one read and are served without waiting. A frame above {@link
 * #BIG_ABOVE_BYTES} may begin in any case while there is no other of that kind, else one that is
 * larger than the limit could never be received. Big frames leave a quarter of the limit to the
 * small ones, so that peers that do not finish theirs cannot lock everybody out, and {@link
 * HeldFrames} ends peers that hold memory for nothing while others wait. Used on the shard only.
 */
final class FrameMemory {
  /** Frames above it are big. */
  static final int BIG_ABOVE_BYTES = 1 << 20;

  /** One arena, since one thread allocates; caches would hold memory that nobody else can use. */
  private static final int DIRECT_ARENAS = 1;

  private static final int PAGE_BYTES = 8192;

  /** Chunks of 4 MiB: a full produce request of Kafka's default limit of 1 MiB still fits one. */
  private static final int MAX_ORDER = 9;

  private final ByteBufAllocator allocator;
  private final Shard shard;
  private final HeldFrames held;
  private final long limitBytes;
  private final long bigLimitBytes;
  private final ArrayDeque<NettyConnection> waitingForSmall = new ArrayDeque<>();
  private final ArrayDeque<NettyConnection> waitingForBig = new ArrayDeque<>();
  private long smallBytes;
  private long bigBytes;
  private boolean wakes;

  /**
   * Memory of about {@code limitBytes}.
   *
   * @param shard runs what goes on when there is room again
   * @param allocator of the shard
   */
  FrameMemory(long limitBytes, Shard shard, ByteBufAllocator allocator) {
    this(limitBytes, shard, allocator, new HeldFrames(shard.clock(), shard.timers()));
  }

  /** With another allocator, and another judge of who keeps memory for nothing. */
  FrameMemory(long limitBytes, Shard shard, ByteBufAllocator allocator, HeldFrames held) {
    this.limitBytes = limitBytes;
    this.bigLimitBytes = limitBytes - limitBytes / 4;
    this.shard = shard;
    this.held = held;
    this.allocator = allocator;
  }

  /** The memory of one shard, whatever networks it has: what one gives back the others take. */
  static ByteBufAllocator pooled() {
    return new PooledByteBufAllocator(true, 0, DIRECT_ARENAS, PAGE_BYTES, MAX_ORDER, 64, 32, true);
  }

  ByteBufAllocator allocator() {
    return allocator;
  }

  long usedBytes() {
    return smallBytes + bigBytes;
  }

  /** False when a frame of that size has to wait: for room, or for those that came before. */
  boolean mayBegin(int frameBytes) {
    return waitingFor(frameBytes).isEmpty() && hasRoom(frameBytes);
  }

  private boolean hasRoom(int frameBytes) {
    if (frameBytes <= BIG_ABOVE_BYTES) {
      return smallBytes + Math.min(bigBytes, bigLimitBytes) < limitBytes;
    }
    return bigBytes == 0
        || (bigBytes + frameBytes <= bigLimitBytes
            && smallBytes + bigBytes + frameBytes <= limitBytes);
  }

  private ArrayDeque<NettyConnection> waitingFor(int frameBytes) {
    return frameBytes <= BIG_ABOVE_BYTES ? waitingForSmall : waitingForBig;
  }

  void take(int frameBytes) {
    if (frameBytes <= BIG_ABOVE_BYTES) {
      smallBytes += frameBytes;
    } else {
      bigBytes += frameBytes;
    }
  }

  void giveBack(int frameBytes) {
    if (frameBytes <= BIG_ABOVE_BYTES) {
      smallBytes -= frameBytes;
    } else {
      bigBytes -= frameBytes;
    }
    wakeLater();
  }

  /** {@code connection} hears {@link NettyConnection#onMemoryFree} when its frame may begin. */
  void await(NettyConnection connection, int frameBytes) {
    waitingFor(frameBytes).add(connection);
    held.onPressure(this::isAwaited);
  }

  private boolean isAwaited() {
    return !(waitingForSmall.isEmpty() && waitingForBig.isEmpty());
  }

  /** Who has frames in memory that are unfinished or wait. */
  HeldFrames held() {
    return held;
  }

  /** Forgets a connection that ended. */
  void forget(NettyConnection connection) {
    held.forget(connection);
    if (waitingForSmall.remove(connection) || waitingForBig.remove(connection)) {
      wakeLater();
    }
  }

  /** As an event of its own: whoever gives back is in the midst of another connection's frame. */
  private void wakeLater() {
    if (!wakes && isAwaited()) {
      wakes = true;
      shard.execute(this::wake);
    }
  }

  /** One after the other: each takes its memory before the next one is asked. */
  private void wake() {
    wakes = false;
    while (wakeFirst(waitingForSmall) || wakeFirst(waitingForBig)) {}
  }

  private boolean wakeFirst(ArrayDeque<NettyConnection> waiting) {
    @Nullable NettyConnection first = waiting.peek();
    if (first == null || !hasRoom(first.reader().awaitedBytes())) {
      return false;
    }
    waiting.remove();
    first.onMemoryFree();
    return true;
  }
}
