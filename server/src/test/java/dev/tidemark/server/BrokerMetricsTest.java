package dev.tidemark.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BrokerMetricsTest {
  private static final int RECORDS = 10;

  @TempDir Path folder;

  @Test
  void whatClientsDidStandsInTheMetrics() throws Exception {
    BrokerProcess broker = start("127.0.0.1:0");
    try {
      produceAndConsume("localhost:" + broker.port());
      String metrics = get(broker, "/metrics").body();
      assertThat(metrics.lines().filter(line -> line.startsWith("#")))
          .as("each name has one type line")
          .doesNotHaveDuplicates();
      assertThat(metrics.lines().filter(line -> !line.startsWith("#")))
          .allMatch(
              line -> line.matches("[a-z_]+(\\{[a-z]+=\"[^\"]*\"(,[a-z]+=\"[^\"]*\")*})? \\S+"));
      assertThat(metrics.lines())
          .contains(
              "kafka_server_brokertopicmetrics_messagesin_total{topic=\"lines\"} " + RECORDS,
              "kafka_server_brokertopicmetrics_failedproducerequests_total{topic=\"lines\"} 0",
              "kafka_log_log_logendoffset{topic=\"lines\",partition=\"0\"} " + RECORDS,
              "kafka_log_log_logstartoffset{topic=\"lines\",partition=\"0\"} 0",
              "kafka_network_requestmetrics_requests_total{request=\"Produce\"} " + RECORDS,
              "kafka_server_replicamanager_leadercount 1",
              "kafka_server_replicamanager_offlinereplicacount 0",
              "kafka_log_logmanager_offlinelogdirectorycount 0",
              "kafka_controller_kafkacontroller_activecontrollercount 1",
              "kafka_controller_kafkacontroller_globalpartitioncount 1");
      assertThat(value(metrics, "kafka_server_brokertopicmetrics_bytesin_total"))
          .isGreaterThan(RECORDS * 61.0);
      assertThat(value(metrics, "kafka_server_brokertopicmetrics_bytesout_total"))
          .isEqualTo(value(metrics, "kafka_server_brokertopicmetrics_bytesin_total"));
      assertThat(
              value(
                  metrics,
                  "kafka_network_requestmetrics_totaltimems{request=\"Produce\",quantile=\"0.99\"}"))
          .isPositive();
    } finally {
      broker.stop();
    }
  }

  private static double value(String metrics, String sample) {
    String line =
        metrics.lines().filter(one -> one.startsWith(sample + " ")).findFirst().orElseThrow();
    return Double.parseDouble(line.substring(sample.length() + 1));
  }

  private static void produceAndConsume(String bootstrap) throws Exception {
    try (KafkaProducer<byte[], byte[]> producer =
            new KafkaProducer<>(
                Map.of("bootstrap.servers", bootstrap, "linger.ms", 0),
                new ByteArraySerializer(),
                new ByteArraySerializer());
        KafkaConsumer<byte[], byte[]> consumer =
            new KafkaConsumer<>(
                Map.of("bootstrap.servers", bootstrap, "auto.offset.reset", "earliest"),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer())) {
      for (int i = 0; i < RECORDS; i++) {
        producer.send(new ProducerRecord<>("lines", new byte[i])).get();
      }
      consumer.assign(List.of(new TopicPartition("lines", 0)));
      int read = 0;
      while (read < RECORDS) {
        read += consumer.poll(Duration.ofSeconds(1)).count();
      }
    }
  }

  @Test
  void aBrokerIsLiveAndReadyOnceItServes() throws Exception {
    BrokerProcess broker = start("127.0.0.1:0");
    try {
      assertThat(get(broker, "/livez").body()).isEqualTo("ok\n");
      assertThat(get(broker, "/readyz").body()).isEqualTo("ok\n");
    } finally {
      broker.stop();
    }
  }

  @Test
  void aBrokerThatLeavesItsClusterIsReadyNoMore() throws Exception {
    BrokerProcess broker = start("127.0.0.1:0");
    try {
      broker.leave();
      assertThat(get(broker, "/livez").body()).isEqualTo("ok\n");
      assertThat(get(broker, "/readyz").statusCode()).isEqualTo(503);
    } finally {
      broker.stop();
    }
  }

  @Test
  void aNodeThatIsOnlyAControllerIsReadyOnceItServes() throws Exception {
    int port = unusedPort();
    BrokerProcess controller =
        BrokerProcess.start(
            Map.of(
                "process.roles",
                "controller",
                "controller.listener.names",
                "CONTROLLER",
                "listeners",
                "CONTROLLER://127.0.0.1:" + port,
                "log.dirs",
                folder.toString(),
                "tidemark.http.listener",
                "127.0.0.1:0"),
            new FormatOptions(null, FormatOptions.Voters.STANDALONE, ""));
    try {
      assertThat(get(controller, "/readyz").body()).isEqualTo("ok\n");
      assertThat(get(controller, "/metrics").statusCode()).isEqualTo(200);
    } finally {
      controller.stop();
    }
  }

  /**
   * Voters are written down with their ports, so a controller takes none that the system chooses.
   */
  private static int unusedPort() throws IOException {
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return free.getLocalPort();
    }
  }

  @Test
  void aTakenPortStopsTheStartWithTheKeyThatSetsIt() throws Exception {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      String address = "127.0.0.1:" + taken.getLocalPort();
      assertThatThrownBy(() -> start(address))
          .isInstanceOf(BindFailure.class)
          .hasMessageContaining(taken.getLocalPort() + " on 127.0.0.1 is in use")
          .hasMessageContaining("tidemark.http.listener");
    }
  }

  @Test
  void aShardThatHangsIsToldOf() throws Exception {
    NettyShard shard =
        new NettyShard(
            "shard-0",
            NettyIo.choose(),
            new BackgroundPool(1),
            new SecureRandomness(),
            (name, failure) -> {});
    CountDownLatch release = new CountDownLatch(1);
    ProcessProbe probe = new ProcessProbe(shard, Duration.ofMillis(50));
    assertThat(new ProcessProbe(shard, Duration.ofMinutes(1)).whyDead()).isEmpty();
    assertThat(probe.whyNotReady()).contains("the broker starts");
    shard.execute(
        () -> {
          try {
            release.await();
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
        });
    Optional<String> why = probe.whyDead();
    release.countDown();
    shard.stop();
    assertThat(why.orElseThrow()).contains("shard-0 has not answered");
  }

  private BrokerProcess start(String httpListener) throws Exception {
    return BrokerProcess.start(
        Map.of(
            "listeners",
            "PLAINTEXT://127.0.0.1:0",
            "log.dirs",
            folder.toString(),
            "tidemark.http.listener",
            httpListener),
        true);
  }

  private static HttpResponse<String> get(BrokerProcess broker, String path) throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://localhost:" + broker.httpPort() + path)).build();
    return HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
  }
}
