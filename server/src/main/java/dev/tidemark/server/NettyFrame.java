package dev.tidemark.server;

import dev.tidemark.env.InboundFrame;
import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** A received frame in the shard's frame memory. */
final class NettyFrame implements InboundFrame {
  private final NettyConnection receiver;
  private final int chargedBytes;
  private final ByteBuffer bytes;
  private @Nullable ByteBuf buffer;

  NettyFrame(NettyConnection receiver, int chargedBytes, ByteBuf buffer) {
    this.receiver = receiver;
    this.chargedBytes = chargedBytes;
    this.buffer = buffer;
    this.bytes = buffer.nioBuffer(0, buffer.writerIndex());
  }

  @Override
  public ByteBuffer buffer() {
    return bytes;
  }

  @Override
  public void release() {
    ByteBuf released = buffer;
    if (released == null) {
      throw new IllegalStateException("a frame was released twice");
    }
    buffer = null;
    released.release();
    receiver.onReleased(chargedBytes);
  }
}
