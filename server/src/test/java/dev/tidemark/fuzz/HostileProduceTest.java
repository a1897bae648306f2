package dev.tidemark.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.server.BrokerProcess;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.ProduceRequestData.PartitionProduceData;
import org.apache.kafka.common.message.ProduceRequestData.TopicProduceData;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.message.ProduceResponseData.PartitionProduceResponse;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Batches that are small on the wire and huge when they are decompressed. */
class HostileProduceTest {
  private static final short VERSION = 9;
  private static final int PARTITIONS = 100;
  private static final int BOMB_BYTES = 100 << 20;

  @TempDir Path folder;
  private BrokerProcess broker;

  @BeforeEach
  void start() throws Exception {
    broker =
        BrokerProcess.start(
            Map.of(
                "node.id", "1",
                "listeners", "PLAINTEXT://127.0.0.1:0",
                "log.dirs", folder.resolve("data").toString()),
            true);
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", "127.0.0.1:" + broker.port()))) {
      admin
          .createTopics(
              Set.of(
                  new NewTopic("bombs", PARTITIONS, (short) 1), new NewTopic("good", 1, (short) 1)))
          .all()
          .get();
    }
  }

  @AfterEach
  void stop() throws Exception {
    broker.stop();
  }

  @Test
  void othersAreServedWhileARequestFullOfThemIsChecked() throws Exception {
    MemoryRecords bomb = inflatingTo(BOMB_BYTES);
    TopicProduceData data = new TopicProduceData().setName("bombs");
    for (int i = 0; i < PARTITIONS; i++) {
      data.partitionData().add(new PartitionProduceData().setIndex(i).setRecords(bomb));
    }
    ProduceRequestData hostile = request(data);
    CompletableFuture<List<Errors>> answered =
        CompletableFuture.supplyAsync(
            () -> {
              try (Socket socket = connect()) {
                send(socket, hostile);
                return errors(readAnswer(socket));
              } catch (IOException e) {
                throw new java.io.UncheckedIOException(e);
              }
            });
    long beganNs = System.nanoTime();
    long slowestNs = 0;
    int served = 0;
    try (Socket healthy = connect()) {
      while (!answered.isDone() || served < 10) {
        long startNs = System.nanoTime();
        send(healthy, request(good(MemoryRecords.withRecords(Compression.NONE, record(10)))));
        assertThat(errors(readAnswer(healthy))).containsExactly(Errors.NONE);
        slowestNs = Math.max(slowestNs, System.nanoTime() - startNs);
        served++;
      }
    }
    long wholeNs = System.nanoTime() - beganNs;
    System.out.printf(
        "HostileProduceTest: %d requests of others served meanwhile, the slowest in %d of %d ms%n",
        served, slowestNs / 1_000_000, wholeNs / 1_000_000);
    List<Errors> errors = answered.get(60, TimeUnit.SECONDS);
    assertThat(errors.get(0)).as("one is within what a request may ask for").isEqualTo(Errors.NONE);
    assertThat(errors.subList(1, PARTITIONS)).containsOnly(Errors.MESSAGE_TOO_LARGE);
    assertThat(slowestNs)
        .as("nobody waits for all of it")
        .isLessThan(Math.max(wholeNs / 2, TimeUnit.SECONDS.toNanos(2)));
  }

  @Test
  void whatIsCheckedInTheBackgroundKeepsItsPlaceInTheConnection() throws Exception {
    try (Socket socket = connect()) {
      send(socket, request(good(inflatingTo(16 << 20))));
      send(socket, request(good(MemoryRecords.withRecords(Compression.NONE, record(10)))));
      send(socket, request(good(inflatingTo(8 << 20))));
      List<Long> offsets = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        offsets.add(partitions(readAnswer(socket)).get(0).baseOffset());
      }
      assertThat(offsets).containsExactly(0L, 1L, 2L);
    }
  }

  @Test
  void aClientThatLeavesMeanwhileHarmsNobody() throws Exception {
    for (int i = 0; i < 5; i++) {
      try (Socket socket = connect()) {
        send(socket, request(good(inflatingTo(64 << 20))));
      }
    }
    try (Socket socket = connect()) {
      send(socket, request(good(inflatingTo(8 << 20))));
      assertThat(errors(readAnswer(socket))).containsExactly(Errors.NONE);
    }
  }

  @Test
  void aPartitionIsWrittenOncePerRequest() throws Exception {
    TopicProduceData twice = good(MemoryRecords.withRecords(Compression.NONE, record(10)));
    twice
        .partitionData()
        .add(
            new PartitionProduceData()
                .setIndex(0)
                .setRecords(MemoryRecords.withRecords(Compression.NONE, record(10))));
    try (Socket socket = connect()) {
      send(socket, request(twice));
      assertThat(errors(readAnswer(socket))).containsExactly(Errors.NONE, Errors.INVALID_REQUEST);
    }
  }

  private Socket connect() throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), broker.port());
    socket.setSoTimeout(60_000);
    socket.setTcpNoDelay(true);
    return socket;
  }

  private static MemoryRecords inflatingTo(int bytes) {
    return MemoryRecords.withRecords(Compression.zstd().build(), record(bytes));
  }

  private static SimpleRecord record(int bytes) {
    return new SimpleRecord(System.currentTimeMillis(), new byte[bytes]);
  }

  private static TopicProduceData good(MemoryRecords records) {
    TopicProduceData data = new TopicProduceData().setName("good");
    data.partitionData().add(new PartitionProduceData().setIndex(0).setRecords(records));
    return data;
  }

  private static ProduceRequestData request(TopicProduceData data) {
    ProduceRequestData request = new ProduceRequestData().setAcks((short) -1).setTimeoutMs(60_000);
    request.topicData().add(data);
    return request;
  }

  private static void send(Socket socket, ProduceRequestData request) throws IOException {
    byte[] frame = FrameCorpus.frame(ApiKeys.PRODUCE, VERSION, request);
    DataOutputStream out = new DataOutputStream(socket.getOutputStream());
    out.writeInt(frame.length);
    out.write(frame);
    out.flush();
  }

  private static ProduceResponseData readAnswer(Socket socket) throws IOException {
    DataInputStream in = new DataInputStream(socket.getInputStream());
    byte[] answer = new byte[in.readInt()];
    in.readFully(answer);
    int header = 5; // correlation id and no tagged fields
    return new ProduceResponseData(
        new ByteBufferAccessor(ByteBuffer.wrap(answer, header, answer.length - header)), VERSION);
  }

  private static List<PartitionProduceResponse> partitions(ProduceResponseData answer) {
    return answer.responses().iterator().next().partitionResponses();
  }

  private static List<Errors> errors(ProduceResponseData answer) {
    return partitions(answer).stream().map(p -> Errors.forCode(p.errorCode())).toList();
  }
}
