package dev.tidemark.cli;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import org.jspecify.annotations.Nullable;

/** Reads lines as bytes, whatever their encoding. A line ends with LF or CR LF, or at the end. */
final class LineReader {
  private static final int BUFFER_BYTES = 64 << 10;

  private final InputStream in;
  private final byte[] buffer = new byte[BUFFER_BYTES];
  private int position;
  private int limit;

  LineReader(InputStream in) {
    this.in = in;
  }

  /** The next line without its end, or null. */
  byte @Nullable [] next() throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    while (true) {
      if (position == limit) {
        limit = in.read(buffer);
        position = 0;
        if (limit <= 0) {
          limit = 0;
          return line.size() == 0 ? null : line.toByteArray();
        }
      }
      int end = position;
      while (end < limit && buffer[end] != '\n') {
        end++;
      }
      line.write(buffer, position, end - position);
      boolean ended = end < limit;
      position = ended ? end + 1 : end;
      if (ended) {
        byte[] bytes = line.toByteArray();
        boolean cr = bytes.length > 0 && bytes[bytes.length - 1] == '\r';
        return cr ? java.util.Arrays.copyOf(bytes, bytes.length - 1) : bytes;
      }
    }
  }

  /** True when a further read would wait for its bytes. */
  boolean wouldWait() throws IOException {
    return position == limit && in.available() == 0;
  }
}
