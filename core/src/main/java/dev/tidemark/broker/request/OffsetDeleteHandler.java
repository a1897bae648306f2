package dev.tidemark.broker.request;

import dev.tidemark.broker.Request;
import dev.tidemark.broker.RequestHandler;
import dev.tidemark.group.GroupCoordination;
import dev.tidemark.metadata.MetadataView;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.message.OffsetDeleteRequestData;
import org.apache.kafka.common.message.OffsetDeleteRequestData.OffsetDeleteRequestPartition;
import org.apache.kafka.common.message.OffsetDeleteRequestData.OffsetDeleteRequestTopic;
import org.apache.kafka.common.message.OffsetDeleteRequestData.OffsetDeleteRequestTopicCollection;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.OffsetDeleteResponse;
import org.apache.kafka.common.utils.internals.BufferSupplier;
import org.apache.kafka.image.TopicImage;

/** OffsetDelete: forgets single offsets of a group (KIP-496). */
public final class OffsetDeleteHandler implements RequestHandler {
  private final GroupCoordination groups;
  private final MetadataView view;

  public OffsetDeleteHandler(GroupCoordination groups, MetadataView view) {
    this.groups = groups;
    this.view = view;
  }

  @Override
  public void handle(Request request) {
    OffsetDeleteRequestData data = request.data(OffsetDeleteRequestData.class);
    OffsetDeleteResponse.Builder response = new OffsetDeleteResponse.Builder();
    OffsetDeleteRequestTopicCollection known = new OffsetDeleteRequestTopicCollection();
    for (OffsetDeleteRequestTopic topic : data.topics()) {
      TopicImage image = view.image().topics().getTopic(topic.name());
      List<OffsetDeleteRequestPartition> partitions = new ArrayList<>();
      for (OffsetDeleteRequestPartition partition : topic.partitions()) {
        if (image != null && image.partitions().containsKey(partition.partitionIndex())) {
          partitions.add(partition);
        } else {
          response.addPartition(
              topic.name(), partition.partitionIndex(), Errors.UNKNOWN_TOPIC_OR_PARTITION);
        }
      }
      if (!partitions.isEmpty()) {
        known.mustAdd(
            new OffsetDeleteRequestTopic().setName(topic.name()).setPartitions(partitions));
      }
    }
    if (known.isEmpty() && !data.topics().isEmpty()) {
      request.answer(response.build().data());
      return;
    }
    data.setTopics(known);
    GroupAnswer.whenDone(
        request,
        groups.coordinator().deleteOffsets(request.context(), data, BufferSupplier.NO_CACHING),
        result -> response.merge(result).build().data());
  }
}
