package dev.tidemark.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tidemark.broker.BrokerSettings;
import java.net.InetAddress;
import java.util.Map;
import org.junit.jupiter.api.Test;

class NetworkSettingsTest {
  @Test
  void eachKeyIsTheLimitThatItNames() throws Exception {
    NetworkSettings settings =
        NetworkSettings.of(
            BrokerSettings.parse(
                Map.of(
                    "socket.send.buffer.bytes", "1001",
                    "socket.receive.buffer.bytes", "1002",
                    "socket.listen.backlog.size", "13",
                    "socket.request.max.bytes", "1004",
                    "queued.max.request.bytes", "1005",
                    "connections.max.idle.ms", "1006",
                    "max.connections", "17",
                    "max.connections.per.ip", "18",
                    "max.connections.per.ip.overrides", "127.0.0.2:19")));
    assertThat(settings)
        .isEqualTo(
            new NetworkSettings(
                1001,
                1002,
                13,
                1004,
                1005,
                1006,
                17,
                18,
                Map.of(InetAddress.getByName("127.0.0.2"), 19)));
  }

  @Test
  void memoryForRequestsIsBoundedAlsoWhereNoBoundIsAsked() {
    NetworkSettings settings =
        NetworkSettings.of(BrokerSettings.parse(Map.of("queued.max.request.bytes", "-1")));
    assertThat(settings.maxQueuedBytes()).isEqualTo(NetworkSettings.DEFAULT_MAX_QUEUED_BYTES);
  }

  @Test
  void aHostThatNobodyKnowsIsNamed() {
    BrokerSettings settings =
        BrokerSettings.parse(Map.of("max.connections.per.ip.overrides", "no.such.host.invalid:1"));
    assertThatThrownBy(() -> NetworkSettings.of(settings))
        .hasMessageContaining("max.connections.per.ip.overrides")
        .hasMessageContaining("no.such.host.invalid");
  }
}
