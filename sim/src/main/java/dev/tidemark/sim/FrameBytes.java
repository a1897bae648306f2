package dev.tidemark.sim;

import dev.tidemark.env.OutboundFrame;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;

/** What a frame holds, in one buffer. */
public final class FrameBytes {
  private FrameBytes() {}

  /** Copies all parts and releases the frame; throws when a file slice cannot be read whole. */
  public static ByteBuffer take(OutboundFrame frame) {
    try {
      ByteBuffer all = ByteBuffer.allocate(frame.length());
      for (OutboundFrame.Part part : frame.parts()) {
        if (part instanceof OutboundFrame.Bytes bytes) {
          all.put(bytes.buffer().duplicate());
        } else if (part instanceof OutboundFrame.Slice slice) {
          copy(slice, all);
        }
      }
      return all.flip();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } finally {
      frame.release();
    }
  }

  private static void copy(OutboundFrame.Slice slice, ByteBuffer target) throws IOException {
    ByteBuffer part = target.slice(target.position(), slice.length());
    int read = slice.slice().read(part, 0);
    if (read < slice.length()) {
      throw new IOException("a file slice of " + slice.length() + " bytes ends after " + read);
    }
    target.position(target.position() + read);
  }
}
