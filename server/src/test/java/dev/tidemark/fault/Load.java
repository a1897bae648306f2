package dev.tidemark.fault;

import dev.tidemark.process.NodeCluster;
import dev.tidemark.sim.check.LeaderAnswer;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Who writes and reads a topic during a run, and what they were told. */
final class Load {
  /** The partition that kcat writes. */
  private static final int KCAT_PARTITION = 0;

  private final int partitions;
  private final List<Writer> writers = new ArrayList<>();
  private final Reader reader;
  private final LeaderWatch watch;
  private final List<KcatWriter> kcatWriters = new ArrayList<>();
  private final List<KcatReader> kcatReaders = new ArrayList<>();

  Load(NodeCluster cluster, String topic, int partitions, long seed) throws IOException {
    this.partitions = partitions;
    String bootstrap = cluster.bootstrap();
    reader = new Reader(bootstrap, topic, partitions, "");
    watch = new LeaderWatch(cluster, topic, partitions);
    for (String name : List.of("a", "b")) {
      writers.add(new Writer(name, bootstrap, topic, partitions, seed + name.charAt(0)));
    }
    if (Kcat.isInstalled()) {
      kcatWriters.add(new KcatWriter(bootstrap, topic, KCAT_PARTITION));
      kcatReaders.add(new KcatReader(bootstrap, topic));
    }
  }

  /** Whoever has given up begins again. */
  void keepUp() throws IOException {
    for (KcatReader one : kcatReaders) {
      one.keepReading();
    }
  }

  /** Ends writing once all that was sent has an end. */
  void stopWriting() throws InterruptedException {
    for (Writer writer : writers) {
      writer.stop();
    }
    for (KcatWriter writer : kcatWriters) {
      writer.stop();
    }
  }

  /** Ends all that still runs without waiting for the answers of writes. */
  void end() throws IOException, InterruptedException {
    writers.forEach(Writer::abandon);
    reader.stop();
    watch.stop();
    for (KcatWriter writer : kcatWriters) {
      writer.abandon();
    }
    for (KcatReader one : kcatReaders) {
      one.stop();
    }
  }

  /** What must not have happened. */
  List<String> violations() {
    List<String> all = new ArrayList<>(reader.violations());
    writers.forEach(writer -> writer.failures().forEach(one -> all.add(String.valueOf(one))));
    kcatWriters.forEach(writer -> all.addAll(writer.failures()));
    kcatReaders.forEach(one -> all.addAll(one.violations()));
    all.addAll(watch.failures());
    for (int partition = 0; partition < partitions; partition++) {
      for (String violation : LeaderAnswer.violations(watch.answers(partition))) {
        all.add("partition " + partition + ": " + violation);
      }
    }
    return all;
  }

  /** What the cluster promised to keep. */
  List<Writer.Acknowledged> acknowledged() {
    List<Writer.Acknowledged> all = new ArrayList<>();
    writers.forEach(writer -> all.addAll(writer.acknowledged()));
    kcatWriters.forEach(writer -> all.addAll(writer.acknowledged()));
    return all;
  }

  /** What each reader saw of a partition, by offset. */
  List<Map<Long, String>> seen(int partition) {
    List<Map<Long, String>> all = new ArrayList<>(List.of(reader.seen(partition)));
    kcatReaders.forEach(one -> all.add(one.seen(partition)));
    return all;
  }

  @Override
  public String toString() {
    int answers = 0;
    for (int partition = 0; partition < partitions; partition++) {
      answers += watch.answers(partition).size();
    }
    String kcat =
        kcatWriters.isEmpty()
            ? "no kcat on this machine"
            : "%d by kcat in %d runs, which read in %d runs"
                .formatted(
                    kcatWriters.get(0).acknowledged().size(),
                    kcatWriters.get(0).runs(),
                    kcatReaders.get(0).runs());
    return "%d records acknowledged (%s), %d answers of leaders"
        .formatted(acknowledged().size(), kcat, answers);
  }
}
