package dev.tidemark.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.server.BrokerProcess;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Spoiled frames of every API: the broker answers or closes the connection, goes on serving others,
 * and what was stored stays as it was. {@code -Dtidemark.fuzz.frames=N} and {@code
 * -Dtidemark.fuzz.seed=N} choose how many and which.
 */
class FrameFuzzTest {
  private static final int FRAMES = Integer.getInteger("tidemark.fuzz.frames", 20_000);
  private static final long SEED = Long.getLong("tidemark.fuzz.seed", 20_261_129L);
  private static final int FRAMES_PER_CONNECTION = 5;
  private static final int FRAMES_BETWEEN_CHECKS = 2_000;
  private static final int DRAIN_TIMEOUT_MS = 20_000;
  private static final String CANARY = "canary-in-the-mine";

  @TempDir Path folder;

  @Test
  void spoiledFramesHarmNeitherOthersNorWhatIsStored() throws Exception {
    System.out.printf("FrameFuzzTest: seed %d, %d frames%n", SEED, FRAMES);
    try (RecordingProxy proxy = new RecordingProxy();
        ErrorLog log = new ErrorLog()) {
      BrokerProcess broker = BrokerProcess.start(settings(proxy.port()), true);
      try {
        proxy.start(broker.port());
        FrameCorpus.drive("127.0.0.1:" + proxy.port());
        List<byte[]> corpus = new ArrayList<>(proxy.frames());
        corpus.addAll(FrameCorpus.ofAllVersions());
        fuzz(broker.port(), "127.0.0.1:" + proxy.port(), corpus);
      } finally {
        broker.stop();
      }
      assertThat(log.errors()).as("errors logged for clients' mistakes, seed %d", SEED).isEmpty();
    }
  }

  private Map<String, String> settings(int advertisedPort) {
    return Map.of(
        "node.id", "1",
        "listeners", "PLAINTEXT://127.0.0.1:0",
        "advertised.listeners", "PLAINTEXT://127.0.0.1:" + advertisedPort,
        "log.dirs", folder.resolve("data").toString(),
        "offsets.topic.num.partitions", "3",
        "group.initial.rebalance.delay.ms", "0");
  }

  private static void fuzz(int port, String bootstrap, List<byte[]> corpus) throws IOException {
    SplittableRandom random = new SplittableRandom(SEED);
    FrameMutator mutator = new FrameMutator(random);
    List<String> stored = new ArrayList<>();
    for (int sent = 0; sent < FRAMES; ) {
      List<byte[]> batch = new ArrayList<>();
      for (int i = 0; i < FRAMES_PER_CONNECTION; i++) {
        byte[] frame = corpus.get(random.nextInt(corpus.size()));
        byte[] other = corpus.get(random.nextInt(corpus.size()));
        batch.add(mutator.mutate(frame, other));
      }
      send(port, batch, sent);
      sent += batch.size();
      if (sent % FRAMES_BETWEEN_CHECKS == 0 || sent >= FRAMES) {
        checkCanary(bootstrap, stored, sent);
      }
    }
  }

  /** Sends frames and the end of the stream, and waits until the broker ends its side too. */
  private static void send(int port, List<byte[]> frames, int sentBefore) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    DataOutputStream out = new DataOutputStream(bytes);
    for (byte[] frame : frames) {
      out.writeInt(frame.length);
      out.write(frame);
    }
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      socket.setSoTimeout(DRAIN_TIMEOUT_MS);
      try {
        socket.getOutputStream().write(bytes.toByteArray());
        socket.shutdownOutput();
        long unused = socket.getInputStream().transferTo(java.io.OutputStream.nullOutputStream());
      } catch (SocketTimeoutException e) {
        throw new AssertionError(
            "the broker neither answered nor closed within %d ms after frame %d of seed %d"
                .formatted(DRAIN_TIMEOUT_MS, sentBefore, SEED),
            e);
      } catch (IOException e) {
        return; // it closed the connection in the middle: that is an answer too
      }
    }
  }

  /** A healthy client can write and read, and reads all that was written before. */
  private static void checkCanary(String bootstrap, List<String> stored, int sent) {
    String line = "after " + sent + " frames";
    Map<String, Object> config =
        Map.of(
            "bootstrap.servers",
            bootstrap,
            "max.block.ms",
            20_000,
            "delivery.timeout.ms",
            30_000,
            "request.timeout.ms",
            20_000);
    try (KafkaProducer<String, String> producer =
        new KafkaProducer<>(config, new StringSerializer(), new StringSerializer())) {
      producer.send(new ProducerRecord<>(CANARY, 0, null, line)).get();
      stored.add(line);
    } catch (InterruptedException | java.util.concurrent.ExecutionException e) {
      throw new AssertionError("a healthy producer failed " + line + " of seed " + SEED, e);
    }
    assertThat(readCanary(bootstrap, stored.size())).as("seed %d", SEED).isEqualTo(stored);
  }

  private static List<String> readCanary(String bootstrap, int expected) {
    List<String> read = new ArrayList<>();
    try (KafkaConsumer<String, String> consumer =
        new KafkaConsumer<>(
            Map.of("bootstrap.servers", bootstrap, "auto.offset.reset", "earliest"),
            new StringDeserializer(),
            new StringDeserializer())) {
      TopicPartition partition = new TopicPartition(CANARY, 0);
      consumer.assign(List.of(partition));
      consumer.seekToBeginning(List.of(partition));
      long deadlineNs = System.nanoTime() + 20_000_000_000L;
      while (read.size() < expected && System.nanoTime() < deadlineNs) {
        for (ConsumerRecord<String, String> record : consumer.poll(Duration.ofMillis(100))) {
          read.add(record.value());
        }
      }
    }
    return read;
  }
}
