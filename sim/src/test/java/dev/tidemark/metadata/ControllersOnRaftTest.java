package dev.tidemark.metadata;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.quorum.QuorumAddress;
import dev.tidemark.quorum.QuorumBootstrap;
import dev.tidemark.quorum.QuorumSettings;
import dev.tidemark.quorum.QuorumTimeouts;
import dev.tidemark.quorum.QuorumVoter;
import dev.tidemark.quorum.SnapshotSettings;
import dev.tidemark.sim.Scheduler;
import dev.tidemark.sim.SimNode;
import dev.tidemark.sim.Trace;
import dev.tidemark.sim.VirtualNetwork;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.NotControllerException;
import org.apache.kafka.common.message.BrokerHeartbeatRequestData;
import org.apache.kafka.common.message.BrokerHeartbeatResponseData;
import org.apache.kafka.common.message.BrokerRegistrationRequestData;
import org.apache.kafka.common.message.CreateTopicsRequestData;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableTopic;
import org.apache.kafka.common.message.CreateTopicsResponseData;
import org.apache.kafka.image.MetadataImage;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Three controllers decide on real kafka-raft, in virtual time. */
class ControllersOnRaftTest {
  private static final long WALL_MS = 1_700_000_000_000L;
  private static final long LIMIT_MS = 20_000;

  private final Scheduler scheduler = new Scheduler(new Trace(null));
  private final VirtualNetwork network = new VirtualNetwork(scheduler, 11);
  private final List<ControllerNode> nodes = new ArrayList<>();

  /** What one call led to. */
  private static final class Got<T> implements Reply<T> {
    @Nullable T result;
    @Nullable Throwable failure;

    @Override
    public void succeed(T value) {
      result = value;
    }

    @Override
    public void fail(Throwable cause) {
      failure = cause;
    }
  }

  @BeforeEach
  void start() throws Exception {
    List<QuorumVoter> voters = new ArrayList<>();
    List<QuorumAddress> addresses = new ArrayList<>();
    for (int id = 1; id <= 3; id++) {
      QuorumAddress address = new QuorumAddress("n" + id, ControllerNode.PORT);
      addresses.add(address);
      voters.add(new QuorumVoter(id, new Uuid(7, id), address));
    }
    for (int id = 1; id <= 3; id++) {
      SimNode machine = new SimNode("n" + id, network, 11, WALL_MS, 0);
      machine.disk().root().directory("data").create();
      QuorumBootstrap.write(
          machine.disk().root().directory("data"), voters, ControllerNode.LISTENER, WALL_MS);
      nodes.add(
          new ControllerNode(
              machine,
              network,
              new QuorumSettings(
                  id,
                  new Uuid(7, id),
                  ControllerNode.CLUSTER,
                  ControllerNode.LISTENER,
                  addresses.get(id - 1),
                  addresses,
                  true,
                  QuorumTimeouts.DEFAULTS,
                  SnapshotSettings.DEFAULTS)));
    }
    nodes.forEach(ControllerNode::start);
  }

  private void await(String what, BooleanSupplier condition) {
    assertThat(scheduler.runUntil(condition, LIMIT_MS)).as(what).isTrue();
  }

  private ControllerNode active() {
    await(
        "a controller that decides",
        () ->
            nodes.stream()
                .anyMatch(
                    node ->
                        node.isActive() && node.image().features().metadataVersion().isPresent()));
    return nodes.stream().filter(ControllerNode::isActive).findFirst().orElseThrow();
  }

  private static BrokerRegistrationRequestData registration(int id) {
    return BrokerRegistering.request(
            new BrokerIncarnation(
                id,
                new Uuid(id, 1),
                List.of(new BrokerIncarnation.Listener("PLAINTEXT", "b" + id, 9092, (short) 0)),
                Optional.empty(),
                List.of(new Uuid(100, id)),
                false),
            -1)
        .setClusterId(ControllerNode.CLUSTER);
  }

  private long register(ControllerNode on, int brokerId) {
    Got<Long> got = new Got<>();
    on.call(controller -> controller.registerBroker(registration(brokerId), got));
    await("broker " + brokerId + " registered", () -> got.result != null || got.failure != null);
    long epoch = Objects.requireNonNull(got.result, () -> String.valueOf(got.failure));
    await("it to be told", () -> on.image().cluster().broker(brokerId) != null);
    return epoch;
  }

  private Got<BrokerHeartbeatResponseData> beat(ControllerNode on, int brokerId, long epoch) {
    Got<BrokerHeartbeatResponseData> got = new Got<>();
    on.call(
        controller ->
            controller.heartbeat(
                new BrokerHeartbeatRequestData()
                    .setBrokerId(brokerId)
                    .setBrokerEpoch(epoch)
                    .setCurrentMetadataOffset(on.image().provenance().lastContainedOffset()),
                got));
    return got;
  }

  /** As a broker does, it sends again while the node does not decide yet. */
  private BrokerHeartbeatResponseData answered(ControllerNode on, int brokerId, long epoch) {
    for (int i = 0; i < 100; i++) {
      Got<BrokerHeartbeatResponseData> got = beat(on, brokerId, epoch);
      await("an answer to broker " + brokerId, () -> got.result != null || got.failure != null);
      if (got.result != null) {
        return got.result;
      }
      scheduler.runForMs(50);
    }
    throw new AssertionError("no answer to broker " + brokerId);
  }

  private Got<CreateTopicsResponseData> create(ControllerNode on, String topic) {
    CreateTopicsRequestData request = new CreateTopicsRequestData();
    request
        .topics()
        .mustAdd(
            new CreatableTopic()
                .setName(topic)
                .setNumPartitions(2)
                .setReplicationFactor((short) 1));
    Got<CreateTopicsResponseData> got = new Got<>();
    on.call(controller -> controller.createTopics(request, got));
    await("topic " + topic, () -> got.result != null || got.failure != null);
    return got;
  }

  @Test
  void brokerEpochsAreTheOffsetsOfTheRegistrations() {
    ControllerNode active = active();

    for (int broker = 1; broker <= 3; broker++) {
      int id = broker;
      long epoch = register(active, broker);
      MetadataImage first =
          active.images().stream()
              .filter(image -> image.cluster().broker(id) != null)
              .findFirst()
              .orElseThrow();
      assertThat(first.provenance().lastContainedOffset()).isEqualTo(epoch);
    }
  }

  @Test
  void whoDoesNotLeadTheLogDecidesNothing() {
    ControllerNode active = active();
    for (ControllerNode node : nodes) {
      if (node != active) {
        assertThat(create(node, "t").failure).isInstanceOf(NotControllerException.class);
      }
    }
  }

  @Test
  void theNextControllerGoesOnFromWhatIsCommitted() {
    ControllerNode first = active();
    long epoch = register(first, 1);
    assertThat(answered(first, 1, epoch).isFenced()).isFalse();
    assertThat(create(first, "t").failure).isNull();

    first.kill();
    ControllerNode second = active();

    assertThat(second.id()).isNotEqualTo(first.id());
    await("the topic", () -> second.image().topics().getTopic("t") != null);
    assertThat(answered(second, 1, epoch).isFenced()).isFalse();
    assertThat(create(second, "u").failure).isNull();
    first.start();
    await(
        "the first to follow",
        () -> first.image().topics().equals(second.image().topics()) && !first.isActive());
    assertThat(first.image().cluster()).isEqualTo(second.image().cluster());
  }

  @Test
  void aControllerWithoutAMajorityGrantsNothing() {
    ControllerNode cut = active();
    long epoch = register(cut, 1);
    answered(cut, 1, epoch);
    nodes.stream().filter(node -> node != cut).forEach(ControllerNode::kill);

    Got<BrokerHeartbeatResponseData> got = beat(cut, 1, epoch);
    boolean unused = scheduler.runUntil(() -> got.failure != null, LIMIT_MS);

    assertThat(got.result).isNull();
  }

  @Test
  void silenceFencesAlsoAfterTheRoleHasMoved() {
    ControllerNode first = active();
    long epoch = register(first, 1);
    answered(first, 1, epoch);
    first.kill();
    ControllerNode second = active();

    await(
        "broker 1 to be fenced",
        () -> Objects.requireNonNull(second.image().cluster().broker(1)).fenced());
  }
}
