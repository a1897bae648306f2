package dev.tidemark.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.log.AppendOrigin;
import dev.tidemark.log.LogId;
import dev.tidemark.log.LogOpening;
import dev.tidemark.log.LogSettings;
import dev.tidemark.log.PartitionLog;
import dev.tidemark.server.BrokerProcess;
import dev.tidemark.server.FileDirectory;
import dev.tidemark.server.SystemClock;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.record.internal.ControlRecordType;
import org.apache.kafka.common.record.internal.EndTransactionMarker;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.storage.internals.checkpoint.CleanShutdownFileHandler;
import org.apache.kafka.storage.internals.checkpoint.LeaderEpochCheckpointFile;
import org.apache.kafka.storage.internals.checkpoint.OffsetCheckpointFile;
import org.apache.kafka.storage.internals.checkpoint.PartitionMetadataFile;
import org.apache.kafka.storage.internals.log.EpochEntry;
import org.apache.kafka.storage.internals.log.LogDirFailureChannel;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What Kafka's own classes and tools read in our files. */
class FilesForKafkaTest {
  private static final TopicPartition FIRST = new TopicPartition("kept", 0);
  private static final TopicPartition SECOND = new TopicPartition("kept", 1);
  private static final long PRODUCER = 7;
  private static final long OTHER_PRODUCER = 8;

  private final LogDirFailureChannel failures = new LogDirFailureChannel(1);
  @TempDir Path folder;

  @Test
  void kafkasReadersFindWhatTheBrokerKnewWhenItStopped() throws Exception {
    Uuid topicId = runWithTenAndFiveRecordsOfWhichFourAreDeleted();
    assertThat(offsets("replication-offset-checkpoint")).isEqualTo(Map.of(FIRST, 10L, SECOND, 5L));
    assertThat(offsets("log-start-offset-checkpoint")).isEqualTo(Map.of(FIRST, 4L, SECOND, 0L));
    Map<TopicPartition, Long> recovery = offsets("recovery-point-offset-checkpoint");
    assertThat(recovery.keySet()).containsExactlyInAnyOrder(FIRST, SECOND);
    assertThat(recovery.get(FIRST)).isBetween(9L, 10L);
    assertThat(recovery.get(SECOND)).isBetween(4L, 5L);
    CleanShutdownFileHandler marker = new CleanShutdownFileHandler(folder.toString());
    assertThat(marker.exists()).isTrue();
    assertThat(marker.read()).as("it can be read").isPresent();

    File partition = folder.resolve("kept-0").toFile();
    assertThat(
            new LeaderEpochCheckpointFile(LeaderEpochCheckpointFile.newFile(partition), failures)
                .read())
        .containsExactly(new EpochEntry(0, 4));
    PartitionMetadataFile metadata =
        new PartitionMetadataFile(PartitionMetadataFile.newFile(partition), failures);
    assertThat(metadata.read().topicId()).isEqualTo(topicId);
  }

  private Map<TopicPartition, Long> offsets(String name) throws IOException {
    return new OffsetCheckpointFile(folder.resolve(name).toFile(), failures).read();
  }

  private Uuid runWithTenAndFiveRecordsOfWhichFourAreDeleted() throws Exception {
    Map<String, String> settings =
        Map.of("listeners", "PLAINTEXT://127.0.0.1:0", "log.dirs", folder.toString());
    BrokerProcess broker = BrokerProcess.start(settings, true);
    Map<String, Object> client = Map.of("bootstrap.servers", "127.0.0.1:" + broker.port());
    try (Admin admin = Admin.create(client);
        KafkaProducer<String, String> producer =
            new KafkaProducer<>(client, new StringSerializer(), new StringSerializer())) {
      var created = admin.createTopics(List.of(new NewTopic(FIRST.topic(), 2, (short) 1)));
      created.all().get();
      for (int i = 0; i < 15; i++) {
        producer.send(new ProducerRecord<>(FIRST.topic(), i % 3 == 2 ? 1 : 0, "", "v" + i)).get();
      }
      admin.deleteRecords(Map.of(FIRST, RecordsToDelete.beforeOffset(4))).all().get();
      return created.topicId(FIRST.topic()).get();
    } finally {
      broker.stop();
    }
  }

  @Test
  void kafkasDumpReadsSnapshotsOfProducersAndIndexesOfAbortedTransactions() throws Exception {
    Path partition = folder.resolve("kept-0");
    try (PartitionLog log =
        PartitionLog.open(
            new LogId("kept", 0, new Uuid(1, 2)),
            new FileDirectory(partition),
            LogSettings.defaults(),
            LogOpening.unknown(),
            SystemClock.INSTANCE)) {
      append(log, inTransaction(PRODUCER));
      append(log, inTransaction(OTHER_PRODUCER));
      append(log, end(OTHER_PRODUCER, ControlRecordType.ABORT));
      append(log, end(PRODUCER, ControlRecordType.ABORT));
      append(log, inTransaction(OTHER_PRODUCER + 1));
      append(log, end(OTHER_PRODUCER + 1, ControlRecordType.COMMIT));
      append(log, inTransaction(OTHER_PRODUCER + 2));
      log.roll();
    }
    String files;
    try (Stream<Path> all = Files.list(partition)) {
      files =
          String.join(
              ",",
              all.map(Path::toString).filter(name -> name.matches(".*/0\\d+\\.\\w+")).toList());
    }
    assertThat(files).contains(".txnindex", ".snapshot");
    Ran dump = KafkaTool.run("", "DumpLogSegments", "--files", files, "--deep-iteration");
    assertThat(dump.out() + dump.err()).doesNotContain("Found ", "orrupt", "Exception");
    assertThat(dump.out())
        .contains("producerId: 8 firstOffset: 1 lastOffset: 2 lastStableOffset: 0")
        .contains("producerId: 7 firstOffset: 0 lastOffset: 3 lastStableOffset: 4")
        .contains("producerId: 10 producerEpoch: 0 coordinatorEpoch: -1");
  }

  private static void append(PartitionLog log, MemoryRecords records) throws Exception {
    log.append(records.buffer(), 0, AppendOrigin.COORDINATOR);
  }

  private static MemoryRecords inTransaction(long producerId) {
    return MemoryRecords.withTransactionalRecords(
        Compression.NONE, producerId, (short) 0, 0, new SimpleRecord(1_000, new byte[] {1}));
  }

  private static MemoryRecords end(long producerId, ControlRecordType type) {
    return MemoryRecords.withEndTransactionMarker(
        producerId, (short) 0, new EndTransactionMarker(type, 0));
  }
}
