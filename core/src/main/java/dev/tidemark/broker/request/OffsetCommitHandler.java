package dev.tidemark.broker.request;

import dev.tidemark.broker.Request;
import dev.tidemark.broker.RequestHandler;
import dev.tidemark.group.GroupCoordination;
import dev.tidemark.metadata.MetadataView;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestPartition;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestTopic;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.OffsetCommitResponse;
import org.apache.kafka.common.utils.internals.BufferSupplier;
import org.apache.kafka.image.TopicImage;

/**
 * OffsetCommit: by topic name, or by topic id from version 10 on. What is not in the metadata is
 * refused here; the coordinator gets the rest, by name.
 */
public final class OffsetCommitHandler implements RequestHandler {
  private final GroupCoordination groups;
  private final MetadataView view;

  public OffsetCommitHandler(GroupCoordination groups, MetadataView view) {
    this.groups = groups;
    this.view = view;
  }

  @Override
  public void handle(Request request) {
    OffsetCommitRequestData data = request.data(OffsetCommitRequestData.class);
    boolean byId = OffsetCommitResponse.useTopicIds(request.version());
    OffsetCommitResponse.Builder response = OffsetCommitResponse.newBuilder(byId);
    List<OffsetCommitRequestTopic> known = new ArrayList<>();
    for (OffsetCommitRequestTopic topic : data.topics()) {
      TopicImage image =
          byId
              ? view.image().topics().getTopic(topic.topicId())
              : view.image().topics().getTopic(topic.name());
      if (image == null) {
        Errors error = byId ? Errors.UNKNOWN_TOPIC_ID : Errors.UNKNOWN_TOPIC_OR_PARTITION;
        response.addPartitions(
            topic.topicId(),
            topic.name(),
            topic.partitions(),
            OffsetCommitRequestPartition::partitionIndex,
            error);
      } else {
        OffsetCommitRequestTopic resolved = knownPartitions(topic, image, byId, response);
        if (!resolved.partitions().isEmpty()) {
          known.add(resolved);
        }
      }
    }
    if (known.isEmpty()) {
      request.answer(response.build().data());
      return;
    }
    data.setTopics(known);
    GroupAnswer.whenDone(
        request,
        groups.coordinator().commitOffsets(request.context(), data, BufferSupplier.NO_CACHING),
        result -> response.merge(result).build().data());
  }

  private static OffsetCommitRequestTopic knownPartitions(
      OffsetCommitRequestTopic topic,
      TopicImage image,
      boolean byId,
      OffsetCommitResponse.Builder response) {
    Uuid id = byId ? image.id() : Uuid.ZERO_UUID;
    OffsetCommitRequestTopic known =
        new OffsetCommitRequestTopic().setTopicId(id).setName(image.name());
    for (OffsetCommitRequestPartition partition : topic.partitions()) {
      if (image.partitions().containsKey(partition.partitionIndex())) {
        known.partitions().add(partition);
      } else {
        response.addPartition(
            id, image.name(), partition.partitionIndex(), Errors.UNKNOWN_TOPIC_OR_PARTITION);
      }
    }
    return known;
  }
}
