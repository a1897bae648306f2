package dev.tidemark.broker.request;

import dev.tidemark.broker.Request;
import dev.tidemark.broker.RequestHandler;
import dev.tidemark.group.GroupCoordination;
import dev.tidemark.metadata.MetadataView;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.common.errors.InvalidRequestException;
import org.apache.kafka.common.message.OffsetFetchRequestData.OffsetFetchRequestGroup;
import org.apache.kafka.common.message.OffsetFetchRequestData.OffsetFetchRequestTopics;
import org.apache.kafka.common.message.OffsetFetchResponseData.OffsetFetchResponseGroup;
import org.apache.kafka.common.message.OffsetFetchResponseData.OffsetFetchResponsePartitions;
import org.apache.kafka.common.message.OffsetFetchResponseData.OffsetFetchResponseTopics;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.OffsetFetchRequest;
import org.apache.kafka.common.requests.OffsetFetchResponse;
import org.apache.kafka.image.TopicImage;

/**
 * OffsetFetch: of several groups at once (KIP-709), by topic name, or by topic id from version 10
 * on.
 */
public final class OffsetFetchHandler implements RequestHandler {
  private static final int NO_LEADER_EPOCH = -1;

  private final GroupCoordination groups;
  private final MetadataView view;

  public OffsetFetchHandler(GroupCoordination groups, MetadataView view) {
    this.groups = groups;
    this.view = view;
  }

  @Override
  public void handle(Request request) {
    OffsetFetchRequest body = (OffsetFetchRequest) request.body();
    boolean byId = OffsetFetchRequest.useTopicIds(request.version());
    List<CompletableFuture<OffsetFetchResponseGroup>> answers = new ArrayList<>();
    Set<String> seen = new HashSet<>();
    for (OffsetFetchRequestGroup group : body.groups()) {
      if (!seen.add(group.groupId())) {
        throw new InvalidRequestException(
            "the request names the group '%s' more than once".formatted(group.groupId()));
      }
      answers.add(fetch(request, group, byId, body.requireStable()));
    }
    short version = request.version();
    GroupAnswer.whenDone(
        request,
        CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new)),
        done ->
            new OffsetFetchResponse.Builder(answers.stream().map(CompletableFuture::join).toList())
                .build(version)
                .data());
  }

  private CompletableFuture<OffsetFetchResponseGroup> fetch(
      Request request, OffsetFetchRequestGroup group, boolean byId, boolean requireStable) {
    List<OffsetFetchResponseTopics> unknown = new ArrayList<>();
    if (byId && !OffsetFetchRequest.requestAllOffsets(group)) {
      group.setTopics(resolve(group.topics(), unknown));
    }
    boolean nothingLeft =
        !OffsetFetchRequest.requestAllOffsets(group)
            && group.topics().isEmpty()
            && !unknown.isEmpty();
    if (nothingLeft) {
      return CompletableFuture.completedFuture(
          new OffsetFetchResponseGroup().setGroupId(group.groupId()).setTopics(unknown));
    }
    return groups
        .coordinator()
        .fetchOffsets(request.context(), group, requireStable)
        .thenApply(fetched -> complete(fetched, unknown, byId))
        .exceptionally(failure -> failed(request, group, failure));
  }

  /** One group that is refused is no reason to refuse the others of the request. */
  private static OffsetFetchResponseGroup failed(
      Request request, OffsetFetchRequestGroup group, Throwable failure) {
    return OffsetFetchResponse.groupError(
        group, Errors.forException(GroupAnswer.cause(failure)), request.version());
  }

  /** Gives the topics their names; those that have none are put into {@code unknown}. */
  private List<OffsetFetchRequestTopics> resolve(
      List<OffsetFetchRequestTopics> topics, List<OffsetFetchResponseTopics> unknown) {
    List<OffsetFetchRequestTopics> known = new ArrayList<>();
    for (OffsetFetchRequestTopics topic : topics) {
      TopicImage image = view.image().topics().getTopic(topic.topicId());
      if (image == null) {
        unknown.add(unknown(topic));
      } else {
        known.add(topic.setName(image.name()));
      }
    }
    return known;
  }

  private static OffsetFetchResponseTopics unknown(OffsetFetchRequestTopics topic) {
    OffsetFetchResponseTopics answer =
        new OffsetFetchResponseTopics().setTopicId(topic.topicId()).setName(topic.name());
    for (int partition : topic.partitionIndexes()) {
      answer
          .partitions()
          .add(
              new OffsetFetchResponsePartitions()
                  .setPartitionIndex(partition)
                  .setErrorCode(Errors.UNKNOWN_TOPIC_ID.code())
                  .setCommittedOffset(OffsetFetchResponse.INVALID_OFFSET)
                  .setCommittedLeaderEpoch(NO_LEADER_EPOCH)
                  .setMetadata(""));
    }
    return answer;
  }

  private OffsetFetchResponseGroup complete(
      OffsetFetchResponseGroup fetched, List<OffsetFetchResponseTopics> unknown, boolean byId) {
    if (!byId || fetched.errorCode() != Errors.NONE.code()) {
      return fetched;
    }
    List<OffsetFetchResponseTopics> topics = new ArrayList<>();
    for (OffsetFetchResponseTopics topic : fetched.topics()) {
      TopicImage image = view.image().topics().getTopic(topic.name());
      if (image != null) { // a deleted topic has no id by which it could be told
        topics.add(topic.setTopicId(image.id()));
      }
    }
    topics.addAll(unknown);
    return fetched.setTopics(topics);
  }
}
