package dev.tidemark.broker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.sim.VirtualClock;
import dev.tidemark.sim.VirtualDisk;
import java.io.IOException;
import java.util.List;
import org.apache.kafka.clients.admin.AlterConfigOp.OpType;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.message.IncrementalAlterConfigsRequestData;
import org.apache.kafka.common.message.IncrementalAlterConfigsRequestData.AlterConfigsResource;
import org.apache.kafka.common.message.IncrementalAlterConfigsRequestData.AlterableConfig;
import org.apache.kafka.common.message.IncrementalAlterConfigsRequestData.AlterableConfigCollection;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.IncrementalAlterConfigsRequest;
import org.apache.kafka.common.requests.IncrementalAlterConfigsResponse;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** {@code flush.messages=1} in a whole broker. */
class SyncingTopicTest {
  private static final String TOPIC = "events";
  private static final int POWER_LOSSES = 8;

  private VirtualDisk disk = new VirtualDisk(1);
  private final VirtualClock clock = new VirtualClock(1_000_000);
  private SimBroker broker;

  @BeforeEach
  void start() throws IOException {
    broker = SimBroker.formatted(disk, clock);
  }

  private SimClient client() {
    return new SimClient(broker, clock);
  }

  private void syncFromNowOn() {
    AlterableConfigCollection configs = new AlterableConfigCollection();
    configs.add(
        new AlterableConfig()
            .setName("flush.messages")
            .setValue("1")
            .setConfigOperation(OpType.SET.id()));
    IncrementalAlterConfigsRequestData data =
        new IncrementalAlterConfigsRequestData()
            .setResources(
                new IncrementalAlterConfigsRequestData.AlterConfigsResourceCollection(
                    List.of(
                            new AlterConfigsResource()
                                .setResourceType(ConfigResource.Type.TOPIC.id())
                                .setResourceName(TOPIC)
                                .setConfigs(configs))
                        .iterator()));
    IncrementalAlterConfigsResponse response =
        broker.call(
            new IncrementalAlterConfigsRequest.Builder(data).build(),
            IncrementalAlterConfigsResponse.class);
    assertThat(response.data().responses().get(0).errorCode()).isEqualTo(Errors.NONE.code());
  }

  @Test
  void aTopicThatBeginsToSyncSyncsWhatItHasWithinAMinute() throws IOException {
    for (long powerLoss = 0; powerLoss < POWER_LOSSES; powerLoss++) {
      disk = new VirtualDisk(1);
      start();
      client().create(TOPIC);
      client().produce(TOPIC, 3);
      syncFromNowOn();
      broker.advanceMs(61_000);
      broker = broker.afterPowerLoss(powerLoss);
      assertThat(client().latest(TOPIC)).as("power loss %s", powerLoss).isEqualTo(3);
    }
  }

  @Test
  void whatAKillLeftUnsyncedIsSyncedAtTheStartAndNoFileStaysOpenForIt() throws IOException {
    broker = broker.killedAndStarted();
    broker.advanceMs(30_000);
    int idle = disk.openFiles();
    client().create(TOPIC);
    syncFromNowOn();
    client().produce(TOPIC, 4);
    broker = broker.killedAndStarted();
    assertThat(client().latest(TOPIC)).isEqualTo(4);
    broker.advanceMs(30_000);
    assertThat(disk.openFiles()).as("half a minute after the start").isEqualTo(idle);
  }
}
