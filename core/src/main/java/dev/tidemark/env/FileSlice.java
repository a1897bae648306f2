package dev.tidemark.env;

import java.io.IOException;
import java.nio.ByteBuffer;

/** A range of bytes of a file on its way to a peer. Its owner releases it exactly once. */
public interface FileSlice {
  /** Bytes. */
  int length();

  /** Reads into {@code target} from {@code offset} of this slice on, as {@link LogFile#read}. */
  int read(ByteBuffer target, int offset) throws IOException;

  /** Ends the use; the slice may not be touched afterwards. */
  void release();
}
