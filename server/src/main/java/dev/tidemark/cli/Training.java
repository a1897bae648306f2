package dev.tidemark.cli;

import dev.tidemark.server.BrokerProcess;
import dev.tidemark.server.FileDirectory;
import dev.tidemark.server.ServerLogging;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Starts a broker and the clients once, so that the JVM can keep the classes they load in an
 * archive. Run at package time, and once for another JDK. An archive of Java 25 also keeps what the
 * compilers learned of hot code (JEP 515): with {@code --load} the brokers carry load until they
 * have, and compile what they need early in every later run.
 */
final class Training {
  private static final String TOPIC = "training";
  private static final int RECORDS = 100;

  /** Of reading, one record a fetch. */
  private static final int PASSES = 20;

  private static final short BROKERS = 3;
  private static final int TIMEOUT_MS = 240_000;

  private Training() {}

  /** Takes {@code --load} or nothing; fails the process when it fails or takes too long. */
  public static void main(String[] args) {
    Thread watch = new Thread(Training::endAtTimeout, "watch");
    watch.setDaemon(true);
    watch.start();
    try {
      roundTrips(List.of(args).contains("--load"));
      System.exit(ExitCodes.OK);
    } catch (Exception e) {
      System.err.println("tidemark: the round trip failed: " + FailureText.of(e));
      System.exit(ExitCodes.FAILURE);
    }
  }

  private static void endAtTimeout() {
    try {
      Thread.sleep(TIMEOUT_MS);
    } catch (InterruptedException e) {
      return;
    }
    Runtime.getRuntime().halt(ExitCodes.FAILURE);
  }

  /** A lone broker, then a cluster: they are other code where it is about nodes. */
  private static void roundTrips(boolean load) throws Exception {
    ServerLogging.dev();
    Path folder = Files.createTempDirectory("tidemark-training-");
    BrokerProcess alone = BrokerProcess.start(DevRun.settings(0, folder.resolve("alone")), true);
    roundTrip("127.0.0.1:" + alone.port(), (short) 1, load);
    alone.stop();
    List<BrokerProcess> cluster = new ArrayList<>();
    for (NodeStart node : DevCluster.nodes(BROKERS, DevVoters.one(), 0, folder)) {
      cluster.add(0, node.start());
    }
    roundTrip("127.0.0.1:" + cluster.get(0).port(), BROKERS, load);
    for (BrokerProcess broker : cluster) {
      broker.stop();
    }
    FileDirectory.deleteAll(folder);
    int unused = Tidemark.run(List.of("--help"));
  }

  private static void roundTrip(String bootstrap, short replicationFactor, boolean load)
      throws Exception {
    Properties client = new Properties();
    client.setProperty("bootstrap.servers", bootstrap);
    client.setProperty("enable.metrics.push", "false");
    client.setProperty("auto.offset.reset", "earliest");
    client.setProperty("group.id", "training");
    client.setProperty("max.partition.fetch.bytes", "1");
    try (Admin admin = Admin.create(client)) {
      List<NewTopic> topics = List.of(new NewTopic(TOPIC, 1, replicationFactor));
      admin.createTopics(topics).all().get(30, TimeUnit.SECONDS);
      write(client);
      read(client);
      admin.listTopics().names().get(30, TimeUnit.SECONDS);
      if (load) {
        TrainingLoad.carry(admin, bootstrap, replicationFactor);
      }
    }
  }

  private static void write(Properties client) throws Exception {
    try (KafkaProducer<byte[], byte[]> producer =
        new KafkaProducer<>(client, new ByteArraySerializer(), new ByteArraySerializer())) {
      for (int i = 0; i < RECORDS; i++) {
        producer.send(new ProducerRecord<>(TOPIC, new byte[] {(byte) i})).get(30, TimeUnit.SECONDS);
      }
    }
  }

  private static void read(Properties client) {
    try (KafkaConsumer<byte[], byte[]> consumer =
        new KafkaConsumer<>(client, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
      consumer.subscribe(List.of(TOPIC));
      for (int pass = 0; pass < PASSES; pass++) {
        int seen = 0;
        for (int polls = 0; seen < RECORDS && polls < 10 * RECORDS; polls++) {
          seen += consumer.poll(Duration.ofMillis(300)).count();
        }
        if (seen < RECORDS) {
          throw new IllegalStateException(seen + " of " + RECORDS + " records came back");
        }
        consumer.seekToBeginning(consumer.assignment());
      }
    }
  }
}
