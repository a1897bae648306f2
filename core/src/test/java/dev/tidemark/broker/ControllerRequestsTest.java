package dev.tidemark.broker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.broker.metrics.RequestMetrics;
import dev.tidemark.env.OutboundFrame;
import dev.tidemark.metadata.BrokerControlSettings;
import dev.tidemark.metadata.BrokerProbe;
import dev.tidemark.metadata.Controller;
import dev.tidemark.metadata.ControllerCalls;
import dev.tidemark.metadata.ControllerSettings;
import dev.tidemark.metadata.FakeMetadataLog;
import dev.tidemark.metadata.FakeShard;
import dev.tidemark.metadata.MetadataView;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.TreeMap;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.AllocateProducerIdsRequestData;
import org.apache.kafka.common.message.AllocateProducerIdsResponseData;
import org.apache.kafka.common.message.AlterPartitionRequestData;
import org.apache.kafka.common.message.AlterPartitionResponseData;
import org.apache.kafka.common.message.AssignReplicasToDirsRequestData;
import org.apache.kafka.common.message.AssignReplicasToDirsResponseData;
import org.apache.kafka.common.message.BrokerHeartbeatRequestData;
import org.apache.kafka.common.message.BrokerHeartbeatResponseData;
import org.apache.kafka.common.message.BrokerRegistrationRequestData;
import org.apache.kafka.common.message.BrokerRegistrationResponseData;
import org.apache.kafka.common.message.UnregisterBrokerRequestData;
import org.apache.kafka.common.message.UnregisterBrokerResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.protocol.MessageUtil;
import org.apache.kafka.common.requests.AbstractRequest;
import org.apache.kafka.common.requests.AbstractResponse;
import org.apache.kafka.common.requests.RequestHeader;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What brokers ask of the controller, in frames. */
class ControllerRequestsTest {
  private static final long ACK_MS = 100;

  private final FakeShard data = new FakeShard();
  private final FakeShard control = new FakeShard();
  private final MetadataView view = new MetadataView();
  private final HandlerRegistry registry = new HandlerRegistry();
  private final List<Integer> probed = new ArrayList<>();
  private FakeConnection peer = new FakeConnection();
  private ClientConnection last = newConnection();
  private int correlationId;

  @BeforeEach
  void start() throws Exception {
    Controller controller =
        new Controller(
            new FakeMetadataLog(),
            view,
            control,
            data,
            new ControllerSettings(9, 1, OptionalInt.empty(), true, Map.of()),
            new BrokerControlSettings("the-cluster", 9_000, true, true, 300_000),
            (broker, whenDone) -> {
              probed.add(broker.id());
              whenDone.accept(BrokerProbe.Outcome.REFUSED);
            });
    controller.start();
    runAll();
    ControllerHandlers.register(registry, new ControllerCalls(controller, control, data));
  }

  private ClientConnection newConnection() {
    return new ClientConnection(
        peer, registry, new RequestMetrics(data.clock()), new ClientMistakes(data, data));
  }

  private void runAll() {
    for (int i = 0; i < 20; i++) {
      control.runAll();
      data.runAll();
    }
  }

  private <T extends ApiMessage> T call(ApiKeys api, int version, ApiMessage body, Class<T> type) {
    peer = new FakeConnection();
    last = newConnection();
    AbstractRequest request =
        AbstractRequest.parseRequest(
                api,
                (short) version,
                new ByteBufferAccessor(
                    MessageUtil.toByteBufferAccessor(body, (short) version).buffer()))
            .request;
    RequestHeader header = new RequestHeader(api, (short) version, "broker", correlationId++);
    last.onFrame(peer, peer.frame(request.serializeWithHeader(header)));
    runAll();
    control.advance(ACK_MS);
    runAll();
    OutboundFrame frame = peer.sent.get(0);
    ByteBuffer all = ByteBuffer.allocate(frame.length());
    frame.parts().forEach(part -> all.put(((OutboundFrame.Bytes) part).buffer().duplicate()));
    all.flip().position(4);
    return type.cast(AbstractResponse.parseResponse(all, header).data());
  }

  private static BrokerRegistrationRequestData registration(int version) {
    BrokerRegistrationRequestData request =
        new BrokerRegistrationRequestData()
            .setBrokerId(1)
            .setClusterId("the-cluster")
            .setIncarnationId(new Uuid(1, 100 + version))
            .setLogDirs(List.of(new Uuid(7, 7)));
    request
        .listeners()
        .add(
            new BrokerRegistrationRequestData.Listener()
                .setName("PLAINTEXT")
                .setHost("localhost")
                .setPort(9092));
    new TreeMap<>(dev.tidemark.metadata.ClusterFeatures.supported())
        .forEach(
            (name, range) ->
                // Versions before 4 have no room for a feature that is off at its lowest level.
                request
                    .features()
                    .add(
                        new BrokerRegistrationRequestData.Feature()
                            .setName(name)
                            .setMinSupportedVersion((short) Math.max(1, range.min()))
                            .setMaxSupportedVersion(range.max())));
    return request;
  }

  private long register(int version) {
    BrokerRegistrationResponseData answer =
        call(
            ApiKeys.BROKER_REGISTRATION,
            version,
            registration(version),
            BrokerRegistrationResponseData.class);
    assertThat(Errors.forCode(answer.errorCode())).isEqualTo(Errors.NONE);
    return answer.brokerEpoch();
  }

  private BrokerHeartbeatResponseData beat(int version, long epoch) {
    return call(
        ApiKeys.BROKER_HEARTBEAT,
        version,
        new BrokerHeartbeatRequestData()
            .setBrokerId(1)
            .setBrokerEpoch(epoch)
            .setCurrentMetadataOffset(1_000),
        BrokerHeartbeatResponseData.class);
  }

  @Test
  void a_broker_registers_in_every_version_that_tells_its_folders() {
    for (int version = 2; version <= ApiKeys.BROKER_REGISTRATION.latestVersion(); version++) {
      long epoch = register(version);
      assertThat(view.image().cluster().brokerEpoch(1)).isEqualTo(epoch);
    }
  }

  @Test
  void refusals_have_kafkas_codes() {
    BrokerRegistrationResponseData answer =
        call(
            ApiKeys.BROKER_REGISTRATION,
            4,
            registration(4).setClusterId("another"),
            BrokerRegistrationResponseData.class);
    assertThat(Errors.forCode(answer.errorCode())).isEqualTo(Errors.INCONSISTENT_CLUSTER_ID);
    assertThat(Errors.forCode(beat(2, 5).errorCode())).isEqualTo(Errors.BROKER_ID_NOT_REGISTERED);
    long epoch = register(4);
    assertThat(Errors.forCode(beat(2, epoch - 1).errorCode())).isEqualTo(Errors.STALE_BROKER_EPOCH);
  }

  @Test
  void heartbeats_are_answered_in_every_version() {
    long epoch = register(4);
    for (int version = 0; version <= ApiKeys.BROKER_HEARTBEAT.latestVersion(); version++) {
      assertThat(beat(version, epoch).isFenced()).isFalse();
    }
  }

  @Test
  void the_end_of_the_connection_with_the_heartbeats_begins_the_probe() {
    long epoch = register(4);
    beat(2, epoch);
    assertThat(probed).isEmpty();

    last.onClosed(peer);
    runAll();
    assertThat(probed).containsExactly(1);
    control.advance(200);
    runAll();

    assertThat(Objects.requireNonNull(view.image().cluster().broker(1)).fenced()).isTrue();
  }

  @Test
  void producer_ids_isr_changes_and_folders_are_asked_with_the_broker_epoch() {
    long epoch = register(4);
    beat(2, epoch);

    AllocateProducerIdsResponseData ids =
        call(
            ApiKeys.ALLOCATE_PRODUCER_IDS,
            0,
            new AllocateProducerIdsRequestData().setBrokerId(1).setBrokerEpoch(epoch),
            AllocateProducerIdsResponseData.class);
    assertThat(ids.errorCode()).isZero();
    assertThat(ids.producerIdLen()).isEqualTo(1_000);
    for (int version = 2; version <= ApiKeys.ALTER_PARTITION.latestVersion(); version++) {
      AlterPartitionResponseData isr =
          call(
              ApiKeys.ALTER_PARTITION,
              version,
              new AlterPartitionRequestData().setBrokerId(1).setBrokerEpoch(epoch - 1),
              AlterPartitionResponseData.class);
      assertThat(Errors.forCode(isr.errorCode())).isEqualTo(Errors.STALE_BROKER_EPOCH);
    }
    AssignReplicasToDirsResponseData folders =
        call(
            ApiKeys.ASSIGN_REPLICAS_TO_DIRS,
            0,
            new AssignReplicasToDirsRequestData().setBrokerId(1).setBrokerEpoch(epoch),
            AssignReplicasToDirsResponseData.class);
    assertThat(folders.errorCode()).isZero();
  }

  @Test
  void a_retired_broker_is_forgotten() {
    register(4);

    for (Errors error : List.of(Errors.NONE, Errors.BROKER_ID_NOT_REGISTERED)) {
      UnregisterBrokerResponseData answer =
          call(
              ApiKeys.UNREGISTER_BROKER,
              0,
              new UnregisterBrokerRequestData().setBrokerId(1),
              UnregisterBrokerResponseData.class);
      assertThat(Errors.forCode(answer.errorCode())).isEqualTo(error);
    }
    assertThat(view.image().cluster().broker(1)).isNull();
  }

  @Test
  void none_of_it_is_on_client_listeners() {
    assertThat(new ControlPlane(Map.of()).apis())
        .doesNotContain(
            ApiKeys.BROKER_REGISTRATION,
            ApiKeys.BROKER_HEARTBEAT,
            ApiKeys.ALTER_PARTITION,
            ApiKeys.ALLOCATE_PRODUCER_IDS,
            ApiKeys.ASSIGN_REPLICAS_TO_DIRS);
  }
}
