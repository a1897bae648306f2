package dev.tidemark.metadata;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.quorum.MetadataBatch;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.message.AlterPartitionReassignmentsRequestData;
import org.apache.kafka.common.message.AlterPartitionReassignmentsRequestData.ReassignablePartition;
import org.apache.kafka.common.message.AlterPartitionReassignmentsRequestData.ReassignableTopic;
import org.apache.kafka.common.message.CreateTopicsRequestData;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableTopic;
import org.apache.kafka.common.message.DeleteTopicsRequestData;
import org.apache.kafka.common.message.ElectLeadersRequestData;
import org.apache.kafka.common.message.ElectLeadersRequestData.TopicPartitions;
import org.apache.kafka.image.MetadataDelta;
import org.apache.kafka.image.MetadataImage;
import org.apache.kafka.image.TopicImage;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Random histories of a cluster, from a seed, against what must hold always. */
class ControllerPropertiesTest {
  private static final int BROKERS = 5;
  private static final int STEPS = 400;
  private static final int SHOWN_STEPS = 40;
  private static final int SHOWN_BATCHES = 12;
  private static final int HISTORIES = Integer.getInteger("histories", 10);

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4})
  void whatever_happens_the_metadata_hold_together_and_nobody_leads_twice(long firstSeed) {
    int elections = 0;
    for (int i = 0; i < HISTORIES; i++) {
      History history = new History(firstSeed * 1_000 + i);
      history.run();
      elections += history.records.cleanElections();
    }
    assertThat(elections).as("elections with something to lose").isGreaterThan(HISTORIES);
  }

  private static final class History {
    private final long seed;
    private final Random random;
    private final ControlledCluster cluster = new ControlledCluster();
    private final List<MetadataImage> images = new ArrayList<>();
    private final List<ModelBroker> brokers = new ArrayList<>();
    private final ModelData records;
    private final List<String> trace = new ArrayList<>();
    private int topics;

    History(long seed) {
      this.seed = seed;
      this.random = new Random(seed);
      images.add(cluster.view.image());
      cluster.view.addListener(new MetadataInvariants());
      cluster.view.addListener((delta, image) -> images.add(image));
      this.records = new ModelData(cluster, brokers, random);
      cluster.view.addListener(records);
      for (int id = 1; id <= BROKERS; id++) {
        brokers.add(new ModelBroker(id, cluster, images));
      }
    }

    void run() {
      try {
        runAll();
      } catch (AssertionError | RuntimeException e) {
        throw new AssertionError("seed " + seed + ": " + e.getMessage() + whatLedThere(), e);
      }
    }

    private String whatLedThere() {
      StringBuilder text = new StringBuilder();
      trace
          .subList(Math.max(0, trace.size() - SHOWN_STEPS), trace.size())
          .forEach(line -> text.append("\n").append(line));
      List<MetadataBatch> batches = cluster.log.batches;
      for (MetadataBatch batch :
          batches.subList(Math.max(0, batches.size() - SHOWN_BATCHES), batches.size())) {
        batch
            .records()
            .forEach(
                record ->
                    text.append("\n")
                        .append(batch.baseOffset())
                        .append(' ')
                        .append(record.message()));
      }
      return text.toString();
    }

    private void runAll() {
      for (int i = 0; i < STEPS; i++) {
        step();
        cluster.data.runAll();
        nobodyLeadsTwice();
      }
      heal();
      theLogLeadsToTheImage();
    }

    private ModelBroker any() {
      return brokers.get(random.nextInt(BROKERS));
    }

    private void step() {
      ModelBroker broker = any();
      int kind = random.nextInt(28);
      trace.add(
          "step %d with broker %d, which has applied %d of %d"
              .formatted(
                  kind,
                  broker.id,
                  broker.image().provenance().lastContainedOffset(),
                  cluster.lastOffset()));
      switch (kind) {
        case 0, 1, 2, 3, 4 -> beatAll();
        case 5, 6 -> {
          if (broker.isReachable()) {
            broker.heartbeat(random.nextInt(10) == 0);
          }
        }
        case 7, 8 -> {
          if (broker.isReachable()) {
            broker.apply(1 + random.nextInt(5));
          }
        }
        case 9 -> pass(random.nextInt(4_000));
        case 10, 11 -> pass(random.nextInt(300));
        case 12 -> stopOrStart(broker);
        case 13 -> freezeOrThaw(broker);
        case 14, 15, 16 -> alterIsrs();
        case 17 -> elect();
        case 18, 19 -> reassign();
        case 20 -> createOrDelete();
        case 21 -> configure();
        case 22 -> controllerTrouble();
        case 23, 24, 25, 26 -> work();
        default -> {
          if (broker.isReachable() && random.nextInt(3) == 0) {
            broker.beginShutdown();
          }
        }
      }
    }

    private void beatAll() {
      for (ModelBroker broker : brokers) {
        if (broker.isReachable()) {
          broker.apply(random.nextInt(3) == 0 ? 1 : 1_000);
          broker.heartbeat(false);
        }
      }
      pass(BrokerLifecycle.ACK_TICK_MS);
    }

    private void pass(long ms) {
      long left = ms;
      while (left > 0) {
        long step = Math.min(left, 100);
        cluster.control.advance(step);
        cluster.data.runAll();
        answerProbes();
        nobodyLeadsTwice();
        left -= step;
      }
    }

    /** A refusal is told only of a process that does not run. */
    private void answerProbes() {
      List<ControlledCluster.Probed> asked = List.copyOf(cluster.probes);
      cluster.probes.clear();
      for (ControlledCluster.Probed probed : asked) {
        boolean runs = brokers.get(probed.brokerId() - 1).isRunning();
        probed.whenDone().accept(runs ? BrokerProbe.Outcome.UNCLEAR : BrokerProbe.Outcome.REFUSED);
      }
      cluster.data.runAll();
    }

    private void stopOrStart(ModelBroker broker) {
      if (!broker.isRunning()) {
        broker.start();
      } else if (random.nextInt(3) == 0) {
        long epoch = broker.epoch();
        broker.die();
        if (random.nextBoolean()) {
          cluster.controller.onConnectionLost(broker.id, epoch);
        }
      } else if (random.nextInt(3) == 0) {
        broker.losePower();
        records.losePower(broker);
        broker.start();
      } else {
        broker.die();
        broker.start();
      }
    }

    private void freezeOrThaw(ModelBroker broker) {
      if (!broker.isRunning()) {
        broker.start();
      } else if (broker.isReachable()) {
        broker.freeze();
      } else {
        broker.thaw();
      }
    }

    private List<PartitionKey> partitions() {
      List<PartitionKey> keys = new ArrayList<>();
      for (TopicImage topic :
          new TreeMap<>(cluster.view.image().topics().topicsByName()).values()) {
        for (int index : new TreeMap<>(topic.partitions()).keySet()) {
          keys.add(new PartitionKey(topic.id(), index));
        }
      }
      return keys;
    }

    private void work() {
      for (PartitionKey key : partitions()) {
        for (int i = random.nextInt(4); i > 0; i--) {
          records.work(key);
        }
      }
    }

    private void alterIsrs() {
      for (PartitionKey key : partitions()) {
        for (ModelBroker broker : brokers) {
          if (random.nextInt(3) > 0) {
            records.propose(broker, key);
            cluster.data.runAll();
          }
        }
      }
    }

    private String anyTopic() {
      return "t" + random.nextInt(Math.max(1, topics));
    }

    private void elect() {
      ElectLeadersRequestData request =
          new ElectLeadersRequestData().setElectionType((byte) random.nextInt(2));
      request
          .topicPartitions()
          .add(new TopicPartitions().setTopic(anyTopic()).setPartitions(List.of(0, 1)));
      cluster.controller.electLeaders(request, new Answer<>());
    }

    private void reassign() {
      List<Integer> target = new ArrayList<>(List.of(1, 2, 3, 4, 5));
      Collections.shuffle(target, random);
      ReassignablePartition partition =
          new ReassignablePartition()
              .setPartitionIndex(random.nextInt(2))
              .setReplicas(
                  random.nextInt(4) == 0 ? null : target.subList(0, 1 + random.nextInt(3)));
      AlterPartitionReassignmentsRequestData request =
          new AlterPartitionReassignmentsRequestData()
              .setTopics(
                  List.of(
                      new ReassignableTopic()
                          .setName(anyTopic())
                          .setPartitions(List.of(partition))));
      cluster.controller.alterPartitionReassignments(request, new Answer<>());
    }

    private void createOrDelete() {
      if (random.nextInt(5) == 0) {
        cluster.controller.deleteTopics(
            new DeleteTopicsRequestData().setTopicNames(List.of(anyTopic())), new Answer<>());
        return;
      }
      CreateTopicsRequestData request = new CreateTopicsRequestData();
      request
          .topics()
          .mustAdd(
              new CreatableTopic()
                  .setName("t" + topics++)
                  .setNumPartitions(2)
                  .setReplicationFactor((short) (1 + random.nextInt(3))));
      cluster.controller.createTopics(request, new Answer<>());
    }

    private void configure() {
      String floor = Integer.toString(1 + random.nextInt(3));
      if (random.nextInt(3) == 0) {
        cluster.trySetConfig(ConfigResource.Type.BROKER, "", "min.insync.replicas", floor);
      } else if (random.nextInt(4) == 0) {
        cluster.trySetConfig(
            ConfigResource.Type.TOPIC,
            anyTopic(),
            "unclean.leader.election.enable",
            Boolean.toString(random.nextBoolean()));
      } else {
        cluster.trySetConfig(ConfigResource.Type.TOPIC, anyTopic(), "min.insync.replicas", floor);
      }
    }

    private void controllerTrouble() {
      switch (random.nextInt(3)) {
        case 0 -> cluster.failOver();
        case 1 -> cluster.log.failNext();
        default -> {
          ModelBroker broker = any();
          if (random.nextInt(3) == 0) {
            cluster.controller.unregisterBroker(broker.id, new Answer<>());
            cluster.data.runAll();
            broker.die();
          }
        }
      }
    }

    private void nobodyLeadsTwice() {
      for (TopicImage topic : cluster.view.image().topics().topicsByName().values()) {
        for (int index : topic.partitions().keySet()) {
          PartitionKey key = new PartitionKey(topic.id(), index);
          List<Integer> serving =
              brokers.stream().filter(one -> one.serves(key)).map(one -> one.id).toList();
          if (serving.size() > 1) {
            throw new AssertionError(serving + " lead " + topic.name() + "-" + index);
          }
        }
      }
    }

    /** All run, time passes: every partition that anyone may lead is led. */
    private void heal() {
      for (ModelBroker broker : brokers) {
        if (broker.isRunning()) {
          broker.die();
        }
        broker.start();
        if (!broker.isRunning()) {
          broker.start(); // the log failed the first time
        }
      }
      for (int i = 0; i < 12; i++) {
        pass(2_000);
        for (ModelBroker broker : brokers) {
          broker.apply(1_000);
          broker.heartbeat(false);
        }
        pass(100);
      }
      for (TopicImage topic : cluster.view.image().topics().topicsByName().values()) {
        topic
            .partitions()
            .forEach(
                (index, state) -> {
                  int may = state.isr.length + state.elr.length + state.lastKnownElr.length;
                  if (may > 0) {
                    assertThat(state.hasLeader())
                        .as("a leader of %s-%d: %s", topic.name(), index, state)
                        .isTrue();
                  }
                });
      }
    }

    private void theLogLeadsToTheImage() {
      MetadataDelta delta = new MetadataDelta.Builder().setImage(MetadataImage.EMPTY).build();
      for (MetadataBatch batch : cluster.log.batches) {
        MetadataReplay.replay(delta, batch.records());
      }
      MetadataImage image = cluster.view.image();
      MetadataImage replayed = delta.apply(image.provenance());
      assertThat(replayed.cluster()).isEqualTo(image.cluster());
      assertThat(replayed.topics()).isEqualTo(image.topics());
      assertThat(replayed.configs()).isEqualTo(image.configs());
      assertThat(replayed.features()).isEqualTo(image.features());
      assertThat(replayed).isEqualTo(image);
    }
  }
}
