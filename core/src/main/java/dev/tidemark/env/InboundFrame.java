package dev.tidemark.env;

import java.nio.ByteBuffer;

/** A received frame in memory that its owner gives back by {@link #release()}. */
public interface InboundFrame {
  /** The bytes from position to limit, big-endian, writable; invalid after {@link #release()}. */
  ByteBuffer buffer();

  /** Gives the memory back; exactly once. */
  void release();
}
