package dev.tidemark.env;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * An open file. Written bytes are visible to reads at once and survive the end of the process; they
 * survive a power loss only after {@link #sync()}. A write that fails may have written a part. Not
 * for use by two shards at once, except {@link #sync()} and slices, which may be used anywhere.
 */
public interface LogFile extends AutoCloseable {
  /** The path, for messages. */
  String path();

  /** Length in bytes. */
  long size() throws IOException;

  /** Writes all that remains in {@code source} at {@code position}; extends the file as needed. */
  void write(ByteBuffer source, long position) throws IOException;

  /**
   * Reads into what remains of {@code target} from {@code position} on, until it is full or the
   * file ends. Returns the number of bytes read, 0 at or beyond the end.
   */
  int read(ByteBuffer target, long position) throws IOException;

  /** Cuts the file to {@code size} bytes; without effect if it is not longer. */
  void truncate(long size) throws IOException;

  /** Makes content and length survive a power loss. Blocks. */
  void sync() throws IOException;

  /**
   * A range of this file to be sent to a peer. It keeps the file readable until it is released,
   * also when the file is closed or deleted meanwhile.
   */
  FileSlice slice(long position, int length) throws IOException;

  /** Closes the file; without effect when closed. */
  @Override
  void close() throws IOException;
}
