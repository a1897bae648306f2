package dev.tidemark.server;

import dev.tidemark.env.FileSlice;
import dev.tidemark.env.LogFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

/** A log file over a file channel; reads and writes are positional and keep no file pointer. */
final class ChannelLogFile implements LogFile {
  private final OpenFile file;
  private final FileChannel channel;
  private volatile boolean closed;

  ChannelLogFile(OpenFile file) {
    this.file = file;
    this.channel = file.channel();
  }

  @Override
  public String path() {
    return file.path().toString();
  }

  @Override
  public long size() throws IOException {
    try {
      return channel.size();
    } catch (IOException e) {
      throw FileFailure.of("measure", file.path(), e);
    }
  }

  @Override
  public void write(ByteBuffer source, long position) throws IOException {
    try {
      long at = position;
      while (source.hasRemaining()) {
        at += channel.write(source, at);
      }
    } catch (IOException e) {
      throw FileFailure.of("write to", file.path(), e);
    }
  }

  @Override
  public int read(ByteBuffer target, long position) throws IOException {
    return readFully(file, target, position);
  }

  static int readFully(OpenFile file, ByteBuffer target, long position) throws IOException {
    int total = 0;
    try {
      while (target.hasRemaining()) {
        int count = file.channel().read(target, position + total);
        if (count < 0) {
          break;
        }
        total += count;
      }
      return total;
    } catch (IOException e) {
      throw FileFailure.of("read", file.path(), e);
    }
  }

  @Override
  public void truncate(long size) throws IOException {
    try {
      if (size < channel.size()) {
        FileChannel unused = channel.truncate(size);
      }
    } catch (IOException e) {
      throw FileFailure.of("truncate", file.path(), e);
    }
  }

  @Override
  public void sync() throws IOException {
    try {
      channel.force(true);
    } catch (IOException e) {
      throw FileFailure.of("sync", file.path(), e);
    }
  }

  @Override
  public FileSlice slice(long position, int length) {
    if (closed) {
      throw new IllegalStateException(file.path() + " is closed; no slice can be taken");
    }
    file.retain();
    return new ChannelSlice(file, position, length);
  }

  @Override
  public void close() throws IOException {
    if (!closed) {
      closed = true;
      file.release();
    }
  }
}
