package dev.tidemark.broker.request;

import dev.tidemark.broker.Request;
import dev.tidemark.broker.RequestHandler;
import dev.tidemark.group.GroupCoordination;
import java.util.List;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.internals.Topic;
import org.apache.kafka.common.message.FindCoordinatorRequestData;
import org.apache.kafka.common.message.FindCoordinatorResponseData;
import org.apache.kafka.common.message.FindCoordinatorResponseData.Coordinator;
import org.apache.kafka.common.network.ListenerName;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.FindCoordinatorRequest.CoordinatorType;
import org.apache.kafka.common.utils.Utils;
import org.apache.kafka.image.TopicImage;
import org.apache.kafka.metadata.PartitionRegistration;

/** FindCoordinator: the leader of the offsets partition of a group; several at once (KIP-699). */
public final class FindCoordinatorHandler implements RequestHandler {
  private static final short FIRST_VERSION_WITH_SEVERAL = 4;

  private final ClusterNodes nodes;
  private final AutoTopicCreation creation;
  private final GroupCoordination groups;

  public FindCoordinatorHandler(
      ClusterNodes nodes, AutoTopicCreation creation, GroupCoordination groups) {
    this.nodes = nodes;
    this.creation = creation;
    this.groups = groups;
  }

  @Override
  public void handle(Request request) {
    FindCoordinatorRequestData data = request.data(FindCoordinatorRequestData.class);
    if (data.keyType() == CoordinatorType.GROUP.id()) {
      creation.create(List.of(Topic.GROUP_METADATA_TOPIC_NAME), () -> answer(request, data));
    } else {
      answer(request, data);
    }
  }

  private void answer(Request request, FindCoordinatorRequestData data) {
    if (data.keyType() == CoordinatorType.GROUP.id()) {
      groups.warmUp(); // whoever asks comes with a group next
    }
    ListenerName listener = request.client().listenerName();
    FindCoordinatorResponseData response = new FindCoordinatorResponseData();
    if (request.version() >= FIRST_VERSION_WITH_SEVERAL) {
      for (String key : RequestedNames.distinct(data.coordinatorKeys())) {
        Coordinator found = find(data.keyType(), key, listener);
        boolean isFound = found.errorCode() == Errors.NONE.code();
        response.coordinators().add(isFound ? found.setErrorMessage(null) : found);
      }
    } else {
      Coordinator found = find(data.keyType(), data.key(), listener);
      response
          .setErrorCode(found.errorCode())
          .setErrorMessage(found.errorMessage())
          .setNodeId(found.nodeId())
          .setHost(found.host())
          .setPort(found.port());
    }
    request.answer(response);
  }

  private Coordinator find(byte keyType, String key, ListenerName listener) {
    if (keyType == CoordinatorType.TRANSACTION.id()) {
      return none(
          key,
          Errors.INVALID_REQUEST,
          "Tidemark has no transactions yet: remove transactional.id from the producer; it stays"
              + " idempotent.");
    }
    if (keyType != CoordinatorType.GROUP.id()) {
      return none(key, Errors.INVALID_REQUEST, "There are no coordinators of type " + keyType);
    }
    TopicImage topic = nodes.image().topics().getTopic(Topic.GROUP_METADATA_TOPIC_NAME);
    if (topic == null) {
      return none(
          key, Errors.COORDINATOR_NOT_AVAILABLE, "__consumer_offsets could not be created.");
    }
    int id = Utils.abs(key.hashCode()) % topic.partitions().size();
    PartitionRegistration partition = topic.partitions().get(id);
    Node node = partition == null ? null : nodes.alive(partition.leader, listener);
    if (node == null) {
      return none(
          key,
          Errors.COORDINATOR_NOT_AVAILABLE,
          "__consumer_offsets-%d has no leader on listener %s.".formatted(id, listener.value()));
    }
    return new Coordinator()
        .setKey(key)
        .setNodeId(node.id())
        .setHost(node.host())
        .setPort(node.port())
        .setErrorMessage(Errors.NONE.message());
  }

  private static Coordinator none(String key, Errors error, String message) {
    return new Coordinator()
        .setKey(key)
        .setErrorCode(error.code())
        .setErrorMessage(message)
        .setNodeId(-1)
        .setHost("")
        .setPort(-1);
  }
}
