package dev.tidemark.server;

import io.netty.buffer.ByteBuf;
import io.netty.channel.FileRegion;
import io.netty.channel.MessageSizeEstimator;

/** Counts file regions in full among the unsent bytes; Netty's own counts them as nothing. */
final class WholeSizeEstimator implements MessageSizeEstimator, MessageSizeEstimator.Handle {
  static final WholeSizeEstimator INSTANCE = new WholeSizeEstimator();

  private WholeSizeEstimator() {}

  @Override
  public Handle newHandle() {
    return this;
  }

  @Override
  public int size(Object message) {
    if (message instanceof ByteBuf buffer) {
      return buffer.readableBytes();
    }
    return (int) Math.min(Integer.MAX_VALUE, ((FileRegion) message).count());
  }
}
