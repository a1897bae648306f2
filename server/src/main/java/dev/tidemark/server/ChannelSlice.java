package dev.tidemark.server;

import dev.tidemark.env.FileSlice;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;

/** A range of an open file. */
final class ChannelSlice implements FileSlice {
  private final OpenFile file;
  private final long position;
  private final int length;

  ChannelSlice(OpenFile file, long position, int length) {
    this.file = file;
    this.position = position;
    this.length = length;
  }

  OpenFile file() {
    return file;
  }

  long position() {
    return position;
  }

  @Override
  public int length() {
    return length;
  }

  @Override
  public int read(ByteBuffer target, int offset) throws IOException {
    int limit = target.limit();
    target.limit(Math.min(limit, target.position() + length - offset));
    try {
      return ChannelLogFile.readFully(file, target, position + offset);
    } finally {
      target.limit(limit);
    }
  }

  @Override
  public void release() {
    try {
      file.release();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
