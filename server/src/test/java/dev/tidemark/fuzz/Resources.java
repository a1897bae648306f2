package dev.tidemark.fuzz;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/**
 * What this process holds on to.
 *
 * @param heapBytes used after a collection
 * @param files open file descriptors, sockets included; 0 where the system does not tell
 */
record Resources(long heapBytes, long files, int threads) {
  private static final Path DESCRIPTORS = Path.of("/proc/self/fd");

  static Resources now() throws IOException {
    System.gc();
    Runtime runtime = Runtime.getRuntime();
    long heapBytes = runtime.totalMemory() - runtime.freeMemory();
    return new Resources(heapBytes, descriptors(), Thread.activeCount());
  }

  private static long descriptors() throws IOException {
    if (!Files.isDirectory(DESCRIPTORS)) {
      return 0;
    }
    try (Stream<Path> open = Files.list(DESCRIPTORS)) {
      return open.count();
    }
  }

  /** True if this is no more than {@code before}, but for what a JVM does by itself. */
  boolean isBackAt(Resources before, long heapSlackBytes, int slack) {
    return heapBytes <= before.heapBytes + heapSlackBytes
        && files <= before.files + slack
        && threads <= before.threads + slack;
  }
}
