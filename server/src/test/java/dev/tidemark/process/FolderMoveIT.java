package dev.tidemark.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.LogDirDescription;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.TopicPartitionReplica;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;

/** A partition moves between data folders under a real producer, asked by a real Admin. */
class FolderMoveIT {
  private static final TopicPartition PARTITION = new TopicPartition("moving", 0);
  private static final Pattern PORT = Pattern.compile("PLAINTEXT://127.0.0.1:(\\d+)");
  private static final int RECORDS = 20_000;

  @Test
  void aPartitionMovesWhileAProducerWritesAndNothingIsLostOrTwice() throws Exception {
    Installation installation = Installation.get();
    Path first = installation.newFolder("first");
    Path second = installation.newFolder("second");
    String[] options = {
      "--config",
      installation.home().resolve("config/server.properties").toString(),
      "--override",
      "log.dirs=" + first + "," + second,
      "--override",
      "listeners=PLAINTEXT://127.0.0.1:0"
    };
    Ran.of(installation.command(Map.of(), with("format", options)), "").requireSuccess();
    Process server =
        installation.command(Map.of(), with("server", options)).redirectErrorStream(true).start();
    try (var lines = server.inputReader()) {
      String line = lines.readLine();
      while (line != null && !line.contains("is ready")) {
        line = lines.readLine();
      }
      Matcher port = PORT.matcher(String.valueOf(line));
      assertThat(port.find()).as("%s", line).isTrue();
      moveUnderAProducer("127.0.0.1:" + port.group(1));
      assertThat(server.toHandle().destroy()).isTrue();
      assertThat(lines.lines().toList())
          .noneMatch(last -> last.contains("ERROR"))
          .anyMatch(last -> last.contains("moving-0 has moved to"));
      assertThat(server.waitFor()).isZero();
    }
    assertThat(Files.exists(first.resolve("moving-0")))
        .isNotEqualTo(Files.exists(second.resolve("moving-0")));
  }

  private static String[] with(String command, String[] options) {
    List<String> all = new ArrayList<>(List.of(command));
    all.addAll(List.of(options));
    return all.toArray(new String[0]);
  }

  private static void moveUnderAProducer(String bootstrap) throws Exception {
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrap));
        KafkaProducer<String, String> producer =
            new KafkaProducer<>(
                Map.of("bootstrap.servers", bootstrap, "linger.ms", 1),
                new StringSerializer(),
                new StringSerializer())) {
      NewTopic topic = new NewTopic(PARTITION.topic(), 1, (short) 1);
      admin.createTopics(List.of(topic)).all().get();
      String from = folderOf(admin);
      List<Future<?>> sent = new ArrayList<>();
      for (int i = 0; i < RECORDS; i++) {
        sent.add(producer.send(new ProducerRecord<>(PARTITION.topic(), "" + i)));
        if (i == RECORDS / 2) {
          String to =
              admin.describeLogDirs(List.of(1)).allDescriptions().get().get(1).keySet().stream()
                  .filter(path -> !path.equals(from))
                  .findFirst()
                  .get();
          admin
              .alterReplicaLogDirs(Map.of(new TopicPartitionReplica(PARTITION.topic(), 0, 1), to))
              .all()
              .get();
        }
      }
      for (Future<?> one : sent) {
        one.get();
      }
      long giveUpNs = System.nanoTime() + Duration.ofSeconds(30).toNanos();
      while (folderOf(admin).equals(from) && System.nanoTime() < giveUpNs) {
        Thread.onSpinWait();
      }
      assertThat(folderOf(admin)).isNotEqualTo(from);
    }
    assertThat(read(bootstrap))
        .isEqualTo(IntStream.range(0, RECORDS).mapToObj(i -> "" + i).toList());
  }

  /** Where the partition lies for good. */
  private static String folderOf(Admin admin) throws Exception {
    Map<String, LogDirDescription> dirs =
        admin.describeLogDirs(List.of(1)).allDescriptions().get().get(1);
    return dirs.entrySet().stream()
        .filter(
            dir ->
                dir.getValue().replicaInfos().containsKey(PARTITION)
                    && !dir.getValue().replicaInfos().get(PARTITION).isFuture())
        .map(Map.Entry::getKey)
        .findFirst()
        .orElse("in between");
  }

  private static List<String> read(String bootstrap) {
    List<String> values = new ArrayList<>();
    try (KafkaConsumer<String, String> consumer =
        new KafkaConsumer<>(
            Map.of("bootstrap.servers", bootstrap),
            new StringDeserializer(),
            new StringDeserializer())) {
      consumer.assign(List.of(PARTITION));
      consumer.seekToBeginning(List.of(PARTITION));
      long giveUpNs = System.nanoTime() + Duration.ofSeconds(30).toNanos();
      while (values.size() < RECORDS && System.nanoTime() < giveUpNs) {
        consumer.poll(Duration.ofMillis(200)).forEach(record -> values.add(record.value()));
      }
    }
    return values;
  }
}
