package dev.tidemark.quorum;

import java.nio.ByteBuffer;
import org.apache.kafka.common.memory.MemoryPool;
import org.jspecify.annotations.Nullable;

/**
 * Memory in which raft builds a batch. It asks for room for the largest one, 8 MiB, and copies to a
 * larger buffer itself where one does not do; so it gets little, and the last buffer again if it
 * gave that back. Owned by the control shard.
 */
final class BatchMemory implements MemoryPool {
  private static final int BYTES = 16 << 10;

  private @Nullable ByteBuffer spare;

  @Override
  public ByteBuffer tryAllocate(int bytes) {
    ByteBuffer buffer = spare;
    spare = null;
    return buffer == null ? ByteBuffer.allocate(BYTES) : buffer;
  }

  @Override
  public void release(ByteBuffer buffer) {
    if (buffer.capacity() == BYTES) {
      spare = buffer.clear();
    }
  }

  @Override
  public long size() {
    return Long.MAX_VALUE;
  }

  @Override
  public long availableMemory() {
    return Long.MAX_VALUE;
  }

  @Override
  public boolean isOutOfMemory() {
    return false;
  }
}
