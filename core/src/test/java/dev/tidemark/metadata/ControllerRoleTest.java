package dev.tidemark.metadata;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.Map;
import java.util.OptionalInt;
import org.apache.kafka.common.errors.NotControllerException;
import org.apache.kafka.common.message.BrokerHeartbeatResponseData;
import org.apache.kafka.common.message.CreateTopicsRequestData;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableTopic;
import org.apache.kafka.common.message.CreateTopicsResponseData;
import org.junit.jupiter.api.Test;

/** Deciding begins and ends with the leadership of the metadata log. */
class ControllerRoleTest {
  private final ControlledCluster cluster = ControlledCluster.of(1);

  private Answer<CreateTopicsResponseData> create(String name) {
    CreateTopicsRequestData request = new CreateTopicsRequestData();
    request
        .topics()
        .mustAdd(
            new CreatableTopic().setName(name).setNumPartitions(1).setReplicationFactor((short) 1));
    Answer<CreateTopicsResponseData> answer = new Answer<>();
    cluster.controller.createTopics(request, answer);
    return answer;
  }

  @Test
  void a_deposed_controller_decides_nothing_and_what_waits_fails() {
    cluster.log.hold();
    Answer<CreateTopicsResponseData> inFlight = create("one");
    Answer<CreateTopicsResponseData> waiting = create("two");
    Answer<BrokerHeartbeatResponseData> heartbeat = cluster.send(cluster.heartbeat(1));

    cluster.log.depose();

    assertThat(inFlight.failure).isInstanceOf(NotControllerException.class);
    assertThat(waiting.failure).isInstanceOf(NotControllerException.class);
    assertThat(heartbeat.failure).isInstanceOf(NotControllerException.class);
    assertThat(create("three").failure).isInstanceOf(NotControllerException.class);
  }

  @Test
  void a_heartbeat_that_waits_for_its_record_is_not_granted_by_a_deposed_controller() {
    Answer<BrokerHeartbeatResponseData> heartbeat = cluster.send(cluster.heartbeat(1));

    cluster.log.depose();
    cluster.control.advance(1_000);

    assertThat(heartbeat.failure).isInstanceOf(NotControllerException.class);
  }

  @Test
  void a_new_log_gets_its_first_records_from_the_first_controller() {
    assertThat(cluster.log.batches.get(0).records()).isEqualTo(MetadataBootstrap.records());

    cluster.failOver();

    assertThat(cluster.log.batches.get(0).records()).isEqualTo(MetadataBootstrap.records());
    assertThat(cluster.log.batches.stream().filter(batch -> batch.records().size() > 3)).hasSize(1);
  }

  @Test
  void a_start_fails_when_they_cannot_be_written() {
    FakeMetadataLog log = new FakeMetadataLog();
    log.failNext();
    Controller controller =
        new Controller(
            log,
            new MetadataView(),
            cluster.control,
            cluster.data,
            new ControllerSettings(1, 1, OptionalInt.empty(), true, Map.of()));

    assertThatThrownBy(controller::start)
        .isInstanceOf(IOException.class)
        .hasMessageContaining("first metadata records");
  }
}
