package dev.tidemark.server;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A file channel that stays open until its log file and all slices of it have let go. Any thread
 * may let go.
 */
final class OpenFile {
  private final Path path;
  private final FileChannel channel;
  private final AtomicInteger users = new AtomicInteger(1);

  OpenFile(Path path, FileChannel channel) {
    this.path = path;
    this.channel = channel;
  }

  Path path() {
    return path;
  }

  FileChannel channel() {
    return channel;
  }

  void retain() {
    users.incrementAndGet();
  }

  /** The last one closes the channel. */
  void release() throws IOException {
    int left = users.decrementAndGet();
    if (left < 0) {
      throw new IllegalStateException(path + " was released more often than it was used");
    }
    if (left == 0) {
      try {
        channel.close();
      } catch (IOException e) {
        throw FileFailure.of("close", path, e);
      }
    }
  }
}
