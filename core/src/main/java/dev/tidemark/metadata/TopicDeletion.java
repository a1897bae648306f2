package dev.tidemark.metadata;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.DeleteTopicsRequestData;
import org.apache.kafka.common.message.DeleteTopicsRequestData.DeleteTopicState;
import org.apache.kafka.common.message.DeleteTopicsResponseData;
import org.apache.kafka.common.message.DeleteTopicsResponseData.DeletableTopicResult;
import org.apache.kafka.common.metadata.RemoveTopicRecord;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.image.MetadataImage;
import org.apache.kafka.image.TopicImage;
import org.apache.kafka.server.common.ApiMessageAndVersion;

/** Decides DeleteTopics, by name or by id. */
final class TopicDeletion {
  private final boolean enabled;

  TopicDeletion(boolean enabled) {
    this.enabled = enabled;
  }

  Decision<DeleteTopicsResponseData> decide(MetadataImage image, DeleteTopicsRequestData request) {
    List<DeleteTopicState> asked = new ArrayList<>(request.topics());
    request.topicNames().forEach(name -> asked.add(new DeleteTopicState().setName(name)));
    List<ApiMessageAndVersion> records = new ArrayList<>();
    DeleteTopicsResponseData response = new DeleteTopicsResponseData();
    Set<Uuid> twice = twice(image, asked);
    Set<Uuid> answered = new HashSet<>();
    for (DeleteTopicState state : asked) {
      DeletableTopicResult result =
          new DeletableTopicResult().setName(state.name()).setTopicId(state.topicId());
      try {
        TopicImage topic = find(image, state);
        if (!answered.add(topic.id())) {
          continue;
        }
        if (twice.contains(topic.id())) {
          throw new Refusal(Errors.INVALID_REQUEST, "Duplicate topic.");
        }
        records.add(
            new ApiMessageAndVersion(new RemoveTopicRecord().setTopicId(topic.id()), (short) 0));
        result.setName(topic.name()).setTopicId(topic.id());
      } catch (Refusal e) {
        result.setErrorCode(e.error().code()).setErrorMessage(e.message());
      }
      response.responses().add(result);
    }
    return new Decision<>(records, response);
  }

  /** The topics that are named more than once, by name or by id: none of them is deleted. */
  private static Set<Uuid> twice(MetadataImage image, List<DeleteTopicState> asked) {
    Set<Uuid> seen = new HashSet<>();
    Set<Uuid> twice = new HashSet<>();
    for (DeleteTopicState state : asked) {
      TopicImage topic =
          state.name() == null
              ? image.topics().getTopic(state.topicId())
              : image.topics().getTopic(state.name());
      if (topic != null && !seen.add(topic.id())) {
        twice.add(topic.id());
      }
    }
    return twice;
  }

  private TopicImage find(MetadataImage image, DeleteTopicState state) {
    if (!enabled) {
      throw new Refusal(
          Errors.TOPIC_DELETION_DISABLED,
          "Topic deletion is disabled: set delete.topic.enable=true in server.properties.");
    }
    boolean byId = !state.topicId().equals(Uuid.ZERO_UUID);
    if (byId == (state.name() != null)) {
      throw new Refusal(
          Errors.INVALID_REQUEST,
          byId
              ? "A topic is named either by name or by id, not by both."
              : "Neither topic name nor id were specified.");
    }
    TopicImage topic =
        byId ? image.topics().getTopic(state.topicId()) : image.topics().getTopic(state.name());
    if (topic == null) {
      throw byId
          ? new Refusal(Errors.UNKNOWN_TOPIC_ID, "There is no topic with id " + state.topicId())
          : new Refusal(
              Errors.UNKNOWN_TOPIC_OR_PARTITION,
              "There is no topic with the name '" + state.name() + "'.");
    }
    return topic;
  }
}
