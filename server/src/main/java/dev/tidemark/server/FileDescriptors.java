package dev.tidemark.server;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalInt;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How many files and sockets this process may have open. A part of them is kept for files: a flood
 * of connections must not keep the broker from opening a segment.
 */
final class FileDescriptors {
  private static final Logger LOG = LoggerFactory.getLogger(FileDescriptors.class);
  private static final Path LIMITS = Path.of("/proc/self/limits");
  private static final String LINE = "Max open files";
  private static final int KEPT_FOR_FILES = 512;

  private FileDescriptors() {}

  /** The connections there is room for, at most {@code asked}. */
  static int connections(int asked) {
    OptionalInt limit = limit();
    if (limit.isEmpty()) {
      return asked;
    }
    int room = connections(asked, limit.getAsInt());
    if (room < asked && asked != Integer.MAX_VALUE) {
      LOG.warn(
          "max.connections={} is more than the {} files this process may open allow; it is {}."
              + " Raise the limit (ulimit -n).",
          asked,
          limit.getAsInt(),
          room);
    }
    return room;
  }

  /** Of a limit a quarter is kept for files, at least 512 of them, at most half. */
  static int connections(int asked, int limit) {
    int kept = Math.min(limit / 2, Math.max(limit / 4, KEPT_FOR_FILES));
    return Math.min(asked, limit - kept);
  }

  private static OptionalInt limit() {
    try {
      for (String line : Files.readAllLines(LIMITS)) {
        if (line.startsWith(LINE)) {
          String soft = line.substring(LINE.length()).strip().split(" +", 2)[0];
          return OptionalInt.of((int) Math.min(Integer.MAX_VALUE, Long.parseLong(soft)));
        }
      }
      return OptionalInt.empty();
    } catch (IOException | NumberFormatException e) {
      return OptionalInt.empty(); // not Linux, or no limit
    }
  }
}
