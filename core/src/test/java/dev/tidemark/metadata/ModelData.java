package dev.tidemark.metadata;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.apache.kafka.common.message.AlterPartitionRequestData;
import org.apache.kafka.common.message.AlterPartitionRequestData.BrokerState;
import org.apache.kafka.common.message.AlterPartitionRequestData.PartitionData;
import org.apache.kafka.common.message.AlterPartitionResponseData;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.image.MetadataDelta;
import org.apache.kafka.image.MetadataImage;
import org.apache.kafka.image.TopicDelta;
import org.apache.kafka.image.TopicImage;
import org.apache.kafka.metadata.LeaderRecoveryState;
import org.apache.kafka.metadata.PartitionRegistration;
import org.apache.kafka.metadata.Replicas;

/**
 * The records of a cluster of model brokers. What was acknowledged stays in its place in the log of
 * every leader, unless the controller has said that the election was an unclean one.
 */
final class ModelData implements MetadataListener {
  private final ControlledCluster cluster;
  private final List<ModelBroker> brokers;
  private final Random random;
  private final PartitionPolicy policy = new PartitionPolicy(new EffectiveConfigs(9, Map.of()));

  private final Map<PartitionKey, Map<Integer, ModelReplica>> replicas = new HashMap<>();
  private final Map<PartitionKey, List<ModelReplica.Entry>> acknowledged = new HashMap<>();
  private int numbers;
  private int cleanElections;

  ModelData(ControlledCluster cluster, List<ModelBroker> brokers, Random random) {
    this.cluster = cluster;
    this.brokers = brokers;
    this.random = random;
  }

  /** Elections by which an acknowledged record could have been lost and was not. */
  int cleanElections() {
    return cleanElections;
  }

  private ModelReplica replica(PartitionKey key, int broker) {
    return replicas
        .computeIfAbsent(key, any -> new HashMap<>())
        .computeIfAbsent(broker, any -> new ModelReplica());
  }

  /** The broker's replica, as a leader, after it took in the metadata it has applied. */
  private ModelReplica led(ModelBroker broker, PartitionKey key, PartitionRegistration state) {
    ModelReplica replica = replica(key, broker.id);
    replica.lead(state.leaderEpoch, state.partitionEpoch, new TreeSet<>(Replicas.toSet(state.isr)));
    return replica;
  }

  private int floor(ModelBroker broker, PartitionKey key, PartitionRegistration state) {
    TopicImage topic = broker.image().topics().getTopic(key.topicId());
    int minIsr = policy.minInsyncReplicas(broker.image(), topic == null ? "" : topic.name());
    return Math.min(minIsr, state.replicas.length);
  }

  /** Each broker does some of what it would do with a partition. */
  void work(PartitionKey key) {
    for (ModelBroker broker : brokers) {
      PartitionRegistration state = broker.state(key);
      if (state == null || !broker.isReachable()) {
        continue;
      }
      if (broker.serves(key)) {
        append(broker, key, state);
      } else if (Replicas.contains(state.replicas, broker.id) && state.hasLeader()) {
        fetch(broker, key, state);
      }
    }
  }

  private void append(ModelBroker broker, PartitionKey key, PartitionRegistration state) {
    ModelReplica leader = led(broker, key, state);
    for (int i = random.nextInt(3); i > 0; i--) {
      leader.log.add(new ModelReplica.Entry(state.leaderEpoch, numbers++));
    }
    acknowledge(broker, key, state, leader);
  }

  private void fetch(ModelBroker follower, PartitionKey key, PartitionRegistration state) {
    ModelBroker leader = brokers.get(state.leader - 1);
    PartitionRegistration leaders = leader.state(key);
    if (leaders == null || !leader.serves(key) || leaders.leaderEpoch != state.leaderEpoch) {
      return;
    }
    ModelReplica from = led(leader, key, leaders);
    ModelReplica to = replica(key, follower.id);
    int endOffset = to.truncateTo(from);
    from.followers.put(follower.id, new ModelReplica.Follower(endOffset, follower.epoch()));
    for (int i = random.nextInt(4); i > 0 && to.log.size() < from.log.size(); i--) {
      to.log.add(from.log.get(to.log.size()));
    }
    acknowledge(leader, key, leaders, from);
  }

  /** Answers what the high watermark has passed. */
  private void acknowledge(
      ModelBroker broker, PartitionKey key, PartitionRegistration state, ModelReplica leader) {
    leader.advance(broker.id, floor(broker, key, state));
    List<ModelReplica.Entry> known = acknowledged.computeIfAbsent(key, any -> new ArrayList<>());
    for (int i = 0; i < leader.highWatermark; i++) {
      if (i == known.size()) {
        known.add(leader.log.get(i));
      } else if (!known.get(i).equals(leader.log.get(i))) {
        throw new AssertionError(
            "offset %d of %s was acknowledged as %s, and is %s with leader %d"
                .formatted(i, key, known.get(i), leader.log.get(i), broker.id));
      }
    }
  }

  /** The leader proposes some ISR that the rules allow. */
  void propose(ModelBroker broker, PartitionKey key) {
    PartitionRegistration state = broker.state(key);
    if (state == null || !broker.serves(key)) {
      return;
    }
    ModelReplica leader = led(broker, key, state);
    Set<Integer> wanted = new TreeSet<>(Set.of(broker.id));
    for (int id : state.replicas) {
      boolean keeps = leader.isr.contains(id) && random.nextInt(4) > 0;
      boolean joins = !leader.isr.contains(id) && leader.mayJoin(id) && random.nextBoolean();
      if (keeps || joins) {
        wanted.add(id);
      }
    }
    leader.proposed.addAll(wanted);
    Answer<AlterPartitionResponseData> answer = send(broker, key, state, leader, wanted);
    if (answer.result == null) {
      return; // nobody knows whether it will be there
    }
    var result = answer.result.topics().get(0).partitions().get(0);
    if (result.errorCode() == Errors.NONE.code() && result.leaderEpoch() == leader.leaderEpoch()) {
      leader.lead(result.leaderEpoch(), result.partitionEpoch(), new TreeSet<>(result.isr()));
      acknowledge(broker, key, state, leader);
      return;
    }
    if (result.errorCode() == Errors.INELIGIBLE_REPLICA.code()
        || result.errorCode() == Errors.OPERATION_NOT_ATTEMPTED.code()) {
      leader.proposed = new TreeSet<>();
    }
  }

  private Answer<AlterPartitionResponseData> send(
      ModelBroker broker,
      PartitionKey key,
      PartitionRegistration state,
      ModelReplica leader,
      Set<Integer> wanted) {
    PartitionData proposal =
        new PartitionData()
            .setPartitionIndex(key.partition())
            .setLeaderEpoch(state.leaderEpoch)
            .setPartitionEpoch(leader.partitionEpoch)
            .setLeaderRecoveryState(LeaderRecoveryState.RECOVERED.value());
    for (int id : wanted) {
      ModelReplica.Follower known = leader.followers.get(id);
      long epoch = id == broker.id ? broker.epoch() : known == null ? -1 : known.brokerEpoch();
      proposal.newIsrWithEpochs().add(new BrokerState().setBrokerId(id).setBrokerEpoch(epoch));
    }
    AlterPartitionRequestData request =
        new AlterPartitionRequestData()
            .setBrokerId(broker.id)
            .setBrokerEpoch(broker.epoch())
            .setTopics(
                List.of(
                    new AlterPartitionRequestData.TopicData()
                        .setTopicId(key.topicId())
                        .setPartitions(List.of(proposal))));
    Answer<AlterPartitionResponseData> answer = new Answer<>();
    cluster.controller.alterPartition(request, answer);
    return answer;
  }

  /** The machine of a broker that does not run lost power: what was not synced is gone. */
  void losePower(ModelBroker broker) {
    for (Map<Integer, ModelReplica> some : replicas.values()) {
      ModelReplica replica = some.get(broker.id);
      if (replica != null && !replica.log.isEmpty()) {
        replica.cut(random.nextInt(replica.log.size() + 1));
      }
    }
  }

  /** A new leader has all that was acknowledged, or the controller says that it may lack some. */
  @Override
  public void onMetadataUpdate(MetadataDelta delta, MetadataImage image) {
    if (delta.topicsDelta() == null) {
      return;
    }
    for (TopicDelta topic : delta.topicsDelta().changedTopics().values()) {
      topic
          .partitionChanges()
          .forEach(
              (index, state) -> {
                PartitionRegistration old = topic.image().partitions().get(index);
                if (old != null && state.hasLeader() && old.leaderEpoch != state.leaderEpoch) {
                  onElected(new PartitionKey(topic.id(), index), old, state);
                }
              });
    }
  }

  private void onElected(PartitionKey key, PartitionRegistration old, PartitionRegistration state) {
    List<ModelReplica.Entry> known = acknowledged.get(key);
    if (known == null || brokers.get(state.leader - 1).isSecretlyEmptied()) {
      return; // it will not serve before it has registered, and another is elected then
    }
    List<ModelReplica.Entry> log = replica(key, state.leader).log;
    int common = 0;
    while (common < Math.min(known.size(), log.size())
        && known.get(common).equals(log.get(common))) {
      common++;
    }
    if (state.leaderRecoveryState == LeaderRecoveryState.RECOVERING) {
      acknowledged.put(key, new ArrayList<>(known.subList(0, common)));
    } else if (common < known.size()) {
      throw new AssertionError(
          "%s lost what was acknowledged from offset %d to %d: %s to %s"
              .formatted(key, common, known.size(), old, state));
    } else {
      cleanElections++;
    }
  }
}
