package dev.tidemark.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a partition costs that nobody uses: its log, its part of the metadata, everything. */
class IdlePartitionHeapTest {
  private static final int FIRST = 1000;
  private static final int MORE = 4000;
  private static final int MAX_BYTES = 2048;
  private static final int COLLECTIONS = 6;

  @TempDir Path folder;

  @Test
  void anIdlePartitionTakesAtMostTwoKibibytesOfHeap() throws Exception {
    BrokerProcess broker =
        BrokerProcess.start(
            Map.of("listeners", "PLAINTEXT://127.0.0.1:0", "log.dirs", folder.toString()), true);
    try {
      create(broker, "first", FIRST);
      long before = usedBytes();
      create(broker, "more", MORE);
      long bytes = bytesEach(before);
      // What the broker still does for the new topic takes memory for a while only.
      long giveUpNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
      while (bytes > MAX_BYTES && System.nanoTime() < giveUpNs) {
        bytes = bytesEach(before);
      }
      System.out.printf("An idle partition takes %d bytes of heap%n", bytes);
      assertThat(bytes).isLessThanOrEqualTo(MAX_BYTES);
    } finally {
      broker.stop();
    }
  }

  private static long bytesEach(long before) {
    return (usedBytes() - before) / MORE;
  }

  private void create(BrokerProcess broker, String topic, int partitions) throws Exception {
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", "127.0.0.1:" + broker.port()))) {
      NewTopic wanted = new NewTopic(topic, partitions, (short) 1);
      admin.createTopics(List.of(wanted)).all().get(60, TimeUnit.SECONDS);
    }
    long giveUpNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (folders(topic) < partitions && System.nanoTime() < giveUpNs) {
      TimeUnit.MILLISECONDS.sleep(50);
    }
    assertThat(folders(topic)).isEqualTo(partitions);
  }

  private long folders(String topic) throws IOException {
    try (Stream<Path> all = Files.list(folder)) {
      return all.filter(path -> String.valueOf(path.getFileName()).startsWith(topic + "-")).count();
    }
  }

  /** The least of several: garbage that a collection leaves for the next one is not counted. */
  private static long usedBytes() {
    long least = Long.MAX_VALUE;
    for (int i = 0; i < COLLECTIONS; i++) {
      System.gc();
      Runtime runtime = Runtime.getRuntime();
      least = Math.min(least, runtime.totalMemory() - runtime.freeMemory());
    }
    return least;
  }
}
