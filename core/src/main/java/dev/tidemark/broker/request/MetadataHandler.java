package dev.tidemark.broker.request;

import dev.tidemark.broker.Request;
import dev.tidemark.broker.RequestHandler;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.InvalidRequestException;
import org.apache.kafka.common.internals.Topic;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.MetadataRequestData.MetadataRequestTopic;
import org.apache.kafka.common.requests.MetadataRequest;

/** Metadata: where the brokers and the partitions' leaders are; may create topics. */
public final class MetadataHandler implements RequestHandler {
  private static final short FIRST_VERSION_BY_ID = 12;
  private static final short FIRST_VERSION_THAT_MAY_FORBID_CREATION = 4;

  private final ClusterNodes nodes;
  private final AutoTopicCreation creation;
  private final boolean autoCreateEnabled;

  public MetadataHandler(
      ClusterNodes nodes, AutoTopicCreation creation, boolean autoCreateEnabled) {
    this.nodes = nodes;
    this.creation = creation;
    this.autoCreateEnabled = autoCreateEnabled;
  }

  @Override
  public void handle(Request request) {
    MetadataRequest body = (MetadataRequest) request.body();
    MetadataRequestData data = request.data(MetadataRequestData.class);
    MetadataAnswer answer = new MetadataAnswer(nodes, request);
    if (body.isAllTopics()) {
      request.answer(answer.ofAllTopics());
      return;
    }
    checkNames(request.version(), data);
    // One that is named often is told once, as in Kafka: else few bytes asked for a huge answer.
    data.setTopics(List.copyOf(new LinkedHashSet<>(data.topics())));
    if (autoCreateEnabled && mayCreate(request.version(), data)) {
      creation.create(missing(data), () -> request.answer(answer.of(data.topics())));
    } else {
      request.answer(answer.of(data.topics()));
    }
  }

  private static boolean mayCreate(short version, MetadataRequestData data) {
    return version < FIRST_VERSION_THAT_MAY_FORBID_CREATION || data.allowAutoTopicCreation();
  }

  private static void checkNames(short version, MetadataRequestData data) {
    if (version >= FIRST_VERSION_BY_ID) {
      return;
    }
    for (MetadataRequestTopic topic : data.topics()) {
      if (topic.name() == null) {
        throw new InvalidRequestException("Topic name can not be null for version " + version);
      }
      if (!topic.topicId().equals(Uuid.ZERO_UUID)) {
        throw new InvalidRequestException(
            "Topic IDs are not supported in requests for version " + version);
      }
    }
  }

  /** The internal topics of features that are not here yet must not come to be as ordinary ones. */
  private static boolean mayBeCreated(String name) {
    return !Topic.isInternal(name) || name.equals(Topic.GROUP_METADATA_TOPIC_NAME);
  }

  private List<String> missing(MetadataRequestData data) {
    List<String> names = new ArrayList<>();
    for (MetadataRequestTopic topic : data.topics()) {
      if (topic.name() != null
          && Topic.isValid(topic.name())
          && mayBeCreated(topic.name())
          && nodes.image().topics().getTopic(topic.name()) == null) {
        names.add(topic.name());
      }
    }
    return names;
  }
}
