package dev.tidemark.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.common.message.ApiVersionsRequestData;
import org.apache.kafka.common.message.RequestHeaderData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.requests.RequestUtils;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BrokerProcessTest {
  @TempDir Path folder;

  @Test
  void aStopThatFailsStillEndsThreadsAndLetsTheFolderGo() throws Exception {
    long threadsBefore = brokerThreads();
    BrokerProcess broker = start(Map.of());
    Thread.currentThread().interrupt();
    assertThatThrownBy(broker::stop).isInstanceOf(InterruptedException.class);
    // A pool has ended a moment before its threads are gone; bounded by the test's time-out.
    while (brokerThreads() > threadsBefore) {
      Thread.onSpinWait();
    }
    start(Map.of()).stop();
  }

  @Test
  void connectionsOfOneAddressAreLimitedByTheirSetting() throws Exception {
    BrokerProcess broker = start(Map.of("max.connections.per.ip", "1"));
    try (Socket first = connect(broker)) {
      assertServed(first); // so that it is the first to be accepted
      try (Socket second = connect(broker)) {
        second.setSoTimeout(10_000);
        assertThat(second.getInputStream().read()).isEqualTo(-1);
      }
      assertServed(first);
    } finally {
      broker.stop();
    }
  }

  private static void assertServed(Socket socket) throws IOException {
    ByteBuffer request =
        RequestUtils.serialize(
            new RequestHeaderData()
                .setRequestApiKey(ApiKeys.API_VERSIONS.id)
                .setRequestApiVersion((short) 0)
                .setClientId("test"),
            (short) 1,
            new ApiVersionsRequestData(),
            (short) 0);
    DataOutputStream out = new DataOutputStream(socket.getOutputStream());
    out.writeInt(request.remaining());
    byte[] bytes = new byte[request.remaining()];
    request.get(bytes);
    out.write(bytes);
    out.flush();
    DataInputStream in = new DataInputStream(socket.getInputStream());
    in.readFully(new byte[in.readInt()]);
  }

  private BrokerProcess start(Map<String, String> more) throws IOException, InterruptedException {
    Map<String, String> settings = new HashMap<>(more);
    settings.put("listeners", "PLAINTEXT://127.0.0.1:0");
    settings.put("log.dirs", folder.toString());
    return BrokerProcess.start(settings, true);
  }

  private static Socket connect(BrokerProcess broker) throws IOException {
    return new Socket(InetAddress.getLoopbackAddress(), broker.port());
  }

  private static long brokerThreads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().matches("shard-\\d+|control|background-\\d+"))
        .count();
  }

  @Test
  void whatLeavesThePartsOfTheProcessAtOddsIsFatalAndWhatConcernsOneConnectionIsNot() {
    RuntimeException mistake = new IllegalStateException("for this test");
    assertThat(BrokerProcess.isFatal("shard-0", mistake)).isFalse();
    assertThat(BrokerProcess.isFatal("control", mistake)).isTrue();
    assertThat(BrokerProcess.isFatal("shard-0", new OutOfMemoryError("for this test"))).isTrue();
  }
}
