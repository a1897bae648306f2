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
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.message.ApiVersionsResponseData;
import org.apache.kafka.common.message.ApiVersionsResponseData.ApiVersion;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.message.RequestHeaderData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.AbstractResponse;
import org.apache.kafka.common.requests.RequestHeader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Every version of the APIs that read and write records gets an answer a client of it can read. */
class RecordRequestVersionsTest {
  private static final int READ_TIMEOUT_MS = 20_000;

  @TempDir Path folder;

  @Test
  void everyAdvertisedVersionIsAnsweredInItsOwnFormat() throws Exception {
    BrokerProcess broker =
        BrokerProcess.start(
            Map.of(
                "node.id", "1",
                "listeners", "PLAINTEXT://127.0.0.1:0",
                "log.dirs", folder.resolve("data").toString(),
                "offsets.topic.num.partitions", "1",
                "group.initial.rebalance.delay.ms", "0"),
            true);
    try (ErrorLog log = new ErrorLog()) {
      SampleRequests samples = new SampleRequests("sample", createTopic(broker.port()));
      List<String> wrong = new ArrayList<>();
      for (ApiVersion api : advertised(broker.port())) {
        ApiKeys key = ApiKeys.forId(api.apiKey());
        if (!SampleRequests.APIS.contains(key)) {
          continue; // tested without a socket, in core
        }
        for (short v = key.oldestVersion(); v <= api.maxVersion(); v++) {
          check(broker.port(), key, v, samples, wrong);
        }
      }
      assertThat(wrong).isEmpty();
      checkOldClientWithZstd(broker.port(), samples);
      assertThat(log.errors()).isEmpty();
    } finally {
      broker.stop();
    }
  }

  /** Consumers as old as Produce version 6 could not read it (KIP-110). */
  private static void checkOldClientWithZstd(int port, SampleRequests samples) throws IOException {
    short version = 6;
    ByteBuffer answer =
        ask(port, ApiKeys.PRODUCE, version, samples.produce(version, Compression.zstd().build()));
    answer.getInt(); // correlation id
    ProduceResponseData data = new ProduceResponseData(new ByteBufferAccessor(answer), version);
    assertThat(data.responses().iterator().next().partitionResponses().get(0).errorCode())
        .isEqualTo(Errors.UNSUPPORTED_COMPRESSION_TYPE.code());
  }

  private static Uuid createTopic(int port) throws Exception {
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", "127.0.0.1:" + port))) {
      var created = admin.createTopics(Set.of(new NewTopic("sample", 1, (short) 1)));
      return created.topicId("sample").get();
    }
  }

  private static List<ApiVersion> advertised(int port) throws IOException {
    short version = 0;
    ByteBuffer answer =
        ask(port, ApiKeys.API_VERSIONS, version, ApiKeys.API_VERSIONS.messageType.newRequest());
    answer.getInt(); // correlation id
    ApiVersionsResponseData data =
        new ApiVersionsResponseData(new ByteBufferAccessor(answer), version);
    return new ArrayList<>(data.apiKeys());
  }

  private static void check(
      int port, ApiKeys api, short version, SampleRequests samples, List<String> wrong) {
    ApiMessage request = samples.of(api, version);
    try {
      ByteBuffer answer = ask(port, api, version, request);
      RequestHeader header =
          new RequestHeader(
              new RequestHeaderData()
                  .setRequestApiKey(api.id)
                  .setRequestApiVersion(version)
                  .setCorrelationId(1)
                  .setClientId("fuzz"),
              api.requestHeaderVersion(version));
      AbstractResponse response = AbstractResponse.parseResponse(answer, header);
      if (response.errorCounts().containsKey(Errors.UNKNOWN_SERVER_ERROR)
          || response.errorCounts().containsKey(Errors.UNSUPPORTED_VERSION)) {
        wrong.add(api + " version " + version + ": " + response);
      }
    } catch (IOException | RuntimeException e) {
      wrong.add(api + " version " + version + ": " + e);
    }
  }

  private static ByteBuffer ask(int port, ApiKeys api, short version, ApiMessage request)
      throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      socket.setSoTimeout(READ_TIMEOUT_MS);
      byte[] frame = FrameCorpus.frame(api, version, request);
      DataOutputStream out = new DataOutputStream(socket.getOutputStream());
      out.writeInt(frame.length);
      out.write(frame);
      out.flush();
      DataInputStream in = new DataInputStream(socket.getInputStream());
      byte[] answer = new byte[in.readInt()];
      in.readFully(answer);
      return ByteBuffer.wrap(answer);
    }
  }
}
