package dev.tidemark.env;

import java.nio.ByteBuffer;
import java.util.List;

/**
 * A frame to send: byte buffers and file slices in their order. The buffers are not touched by the
 * sender after they were handed over.
 */
public record OutboundFrame(List<Part> parts, int length) {
  public OutboundFrame {
    parts = List.copyOf(parts);
  }

  /** A frame of the given parts; its length is the sum of theirs. */
  public static OutboundFrame of(List<Part> parts) {
    long length = 0;
    for (Part part : parts) {
      length += part.length();
    }
    return new OutboundFrame(parts, Math.toIntExact(length));
  }

  /** Releases the file slices of a frame that is not sent. */
  public void release() {
    for (Part part : parts) {
      if (part instanceof Slice slice) {
        slice.slice().release();
      }
    }
  }

  /** A piece of the frame. */
  public sealed interface Part permits Bytes, Slice {
    int length();
  }

  /** Bytes from the buffer's position to its limit. */
  public record Bytes(ByteBuffer buffer) implements Part {
    @Override
    public int length() {
      return buffer.remaining();
    }
  }

  /** Bytes of a file, which need not pass through the heap. */
  public record Slice(FileSlice slice) implements Part {
    @Override
    public int length() {
      return slice.length();
    }
  }
}
