package dev.tidemark.metadata;

import java.util.ArrayDeque;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.kafka.common.ElectionType;
import org.apache.kafka.common.errors.InvalidRequestException;
import org.apache.kafka.common.message.ElectLeadersRequestData;
import org.apache.kafka.common.message.ElectLeadersRequestData.TopicPartitions;
import org.apache.kafka.common.message.ElectLeadersResponseData;
import org.apache.kafka.common.message.ElectLeadersResponseData.PartitionResult;
import org.apache.kafka.common.message.ElectLeadersResponseData.ReplicaElectionResult;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.image.MetadataImage;
import org.apache.kafka.image.TopicImage;
import org.apache.kafka.metadata.BrokerRegistration;
import org.apache.kafka.metadata.PartitionRegistration;

/**
 * Decides ElectLeaders (KIP-460): gives partitions back to their preferred replica, or, where none
 * of those that may lead is there, to one that may lack records. A partition whose old leader may
 * still serve is without one until that has stopped; the election that was asked for is held then.
 */
final class LeaderElection {
  private final ElectionContext context;
  private final ElectionType type;
  private final ArrayDeque<Asked> asked = new ArrayDeque<>();
  private final ElectLeadersResponseData response = new ElectLeadersResponseData();

  private final Map<PartitionKey, PartitionResult> moving = new TreeMap<>();

  /**
   * What was decided.
   *
   * @param moving partitions that wait for their old leader to stop, with their place in the
   *     response
   */
  record Outcome(ElectLeadersResponseData response, Map<PartitionKey, PartitionResult> moving) {}

  /** One partition; {@code isWanted}: named by the request, so that every outcome is told. */
  private record Asked(ReplicaElectionResult result, int partition, boolean isWanted) {}

  private LeaderElection(ElectionContext context, ElectionType type) {
    this.context = context;
    this.type = type;
  }

  static Decision<Outcome> decide(
      MetadataImage image, ElectionContext context, ElectLeadersRequestData request) {
    LeaderElection election = new LeaderElection(context, type(request.electionType()));
    if (request.topicPartitions() == null) {
      election.askAll(image);
    } else {
      for (TopicPartitions topic : request.topicPartitions()) {
        election.ask(topic.topic(), topic.partitions(), true);
      }
    }
    return election.elect(image);
  }

  private static ElectionType type(byte code) {
    try {
      return ElectionType.valueOf(code);
    } catch (IllegalArgumentException e) {
      throw new InvalidRequestException(
          "There is no election type " + code + "; 0 is preferred, 1 is unclean");
    }
  }

  /** Partitions that need no election are left out, as in Kafka; their topics are not. */
  private void askAll(MetadataImage image) {
    for (TopicImage topic : new TreeMap<>(image.topics().topicsByName()).values()) {
      ask(topic.name(), new TreeSet<>(topic.partitions().keySet()), false);
    }
  }

  private void ask(String topic, Iterable<Integer> partitions, boolean isWanted) {
    ReplicaElectionResult result = new ReplicaElectionResult().setTopic(topic);
    response.replicaElectionResults().add(result);
    partitions.forEach(partition -> asked.add(new Asked(result, partition, isWanted)));
  }

  private Decision<Outcome> elect(MetadataImage image) {
    MetadataDraft draft = context.draft(image);
    while (!asked.isEmpty()) {
      if (draft.isFull()) {
        return Decision.first(draft.records(), this::elect);
      }
      Asked one = asked.remove();
      PartitionResult result =
          new PartitionResult().setPartitionId(one.partition).setErrorMessage(null);
      try {
        elect(draft, one.result.topic(), result);
      } catch (Refusal e) {
        if (e.error() == Errors.ELECTION_NOT_NEEDED && !one.isWanted) {
          continue;
        }
        result.setErrorCode(e.error().code()).setErrorMessage(e.message());
      }
      one.result.partitionResult().add(result);
    }
    return draft.decision(new Outcome(response, moving));
  }

  private void elect(MetadataDraft draft, String topicName, PartitionResult result) {
    int partition = result.partitionId();
    TopicImage topic = draft.image().topics().getTopic(topicName);
    PartitionRegistration found = topic == null ? null : topic.partitions().get(partition);
    if (topic == null || found == null) {
      throw new Refusal(
          Errors.UNKNOWN_TOPIC_OR_PARTITION,
          "There is no partition %s-%d.".formatted(topicName, partition));
    }
    boolean preferred = type == ElectionType.PREFERRED;
    if (preferred ? found.hasPreferredLeader() : found.hasLeader()) {
      throw new Refusal(
          Errors.ELECTION_NOT_NEEDED,
          "Broker %d leads %s-%d already.".formatted(found.leader, topicName, partition));
    }
    PartitionKey key = new PartitionKey(topic.id(), partition);
    PartitionChange change = draft.change(key);
    if (!(preferred ? change.electPreferred() : change.electUncleanly())) {
      throw new Refusal(
          preferred ? Errors.PREFERRED_LEADER_NOT_AVAILABLE : Errors.ELIGIBLE_LEADERS_NOT_AVAILABLE,
          "%s-%d: %s"
              .formatted(
                  topicName,
                  partition,
                  preferred ? whyNotPreferred(draft, change) : whyNobody(change)));
    }
    if (!change.hasLeader()) {
      moving.put(key, result);
      if (!preferred) {
        context.handovers().wishUnclean(key);
      }
    }
  }

  private static String whyNobody(PartitionChange change) {
    return "none of the brokers %s, which have its replicas, is there. Start one of them"
        .formatted(change.replicas());
  }

  private static String whyNotPreferred(MetadataDraft draft, PartitionChange change) {
    int preferred = change.replicas().get(0);
    if (change.isActive(preferred)) {
      return "broker %d, the preferred leader, is not in sync; in sync are %s. Elect again once it has caught up"
          .formatted(preferred, change.isr());
    }
    BrokerRegistration broker = draft.image().cluster().broker(preferred);
    if (broker == null || broker.fenced()) {
      return "broker %d, the preferred leader, is away. Start it, or see its log if it runs, and elect again once it is in sync"
          .formatted(preferred);
    }
    if (broker.inControlledShutdown()) {
      return "broker %d, the preferred leader, is about to stop. Elect again once it is back and in sync"
          .formatted(preferred);
    }
    return "the data folder of the partition on broker %d, the preferred leader, is offline. Repair its disk, and elect again once it is in sync"
        .formatted(preferred);
  }
}
