package dev.tidemark.broker.request;

import dev.tidemark.metadata.MetadataView;
import dev.tidemark.metadata.Reply;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.apache.kafka.common.internals.Topic;
import org.apache.kafka.common.message.CreateTopicsRequestData;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableTopic;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableTopicConfig;
import org.apache.kafka.common.message.CreateTopicsResponseData;
import org.apache.kafka.common.message.CreateTopicsResponseData.CreatableTopicResult;
import org.apache.kafka.common.protocol.Errors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Creates topics because somebody uses them. Owned by the data shard. Unlike Kafka, whose clients
 * are told to ask again, the caller waits for the topics: a client's first record leaves sooner.
 */
public final class AutoTopicCreation {
  private static final Logger LOG = LoggerFactory.getLogger(AutoTopicCreation.class);

  /** Topics that one request may create in passing. */
  private static final int MAX_TOPICS = 1000;

  private final TopicCreator creator;
  private final RoomForPartitions room;
  private final MetadataView view;
  private final OffsetsTopicSettings offsetsTopic;
  private final Map<String, List<Runnable>> waiting = new HashMap<>();

  public AutoTopicCreation(
      TopicCreator creator,
      RoomForPartitions room,
      MetadataView view,
      OffsetsTopicSettings offsetsTopic) {
    this.creator = creator;
    this.room = room;
    this.view = view;
    this.offsetsTopic = offsetsTopic;
  }

  /**
   * Creates those of {@code names} that do not exist, with default settings, then runs {@code
   * done}, also when some could not be created: the metadata tells.
   */
  public void create(Collection<String> names, Runnable done) {
    TreeSet<String> missing = new TreeSet<>();
    for (String name : names) {
      if (view.image().topics().getTopic(name) == null && missing.size() < MAX_TOPICS) {
        missing.add(name);
      }
    }
    if (missing.isEmpty()) {
      done.run();
      return;
    }
    Countdown countdown = new Countdown(missing.size(), done);
    CreateTopicsRequestData request = new CreateTopicsRequestData();
    for (String name : missing) {
      List<Runnable> others = waiting.get(name);
      if (others == null) {
        waiting.put(name, new ArrayList<>(List.of(countdown)));
        request.topics().mustAdd(settings(name));
      } else {
        others.add(countdown);
      }
    }
    if (!request.topics().isEmpty()) {
      Created created = new Created(request);
      room.check(() -> creator.create(request, created), created::fail);
    }
  }

  private CreatableTopic settings(String name) {
    CreatableTopic topic =
        new CreatableTopic().setName(name).setNumPartitions(-1).setReplicationFactor((short) -1);
    if (name.equals(Topic.GROUP_METADATA_TOPIC_NAME)) {
      topic
          .setNumPartitions(offsetsTopic.numPartitions())
          .setReplicationFactor(offsetsTopic.replicationFactor(view.image()));
      offsetsTopic
          .configs()
          .forEach(
              (key, value) ->
                  topic.configs().mustAdd(new CreatableTopicConfig().setName(key).setValue(value)));
    }
    return topic;
  }

  private void finish(String name) {
    List<Runnable> waiters = waiting.remove(name);
    if (waiters != null) {
      waiters.forEach(Runnable::run);
    }
  }

  /** Runs an action when it was run for the last of several topics. */
  private static final class Countdown implements Runnable {
    private final Runnable done;
    private int left;

    Countdown(int left, Runnable done) {
      this.left = left;
      this.done = done;
    }

    @Override
    public void run() {
      if (--left == 0) {
        done.run();
      }
    }
  }

  /** The controller's reply. */
  private final class Created implements Reply<CreateTopicsResponseData> {
    private final List<String> names;

    Created(CreateTopicsRequestData request) {
      this.names = request.topics().stream().map(CreatableTopic::name).toList();
    }

    @Override
    public void succeed(CreateTopicsResponseData result) {
      for (CreatableTopicResult topic : result.topics()) {
        Errors error = Errors.forCode(topic.errorCode());
        if (error != Errors.NONE && error != Errors.TOPIC_ALREADY_EXISTS) {
          LOG.warn(
              "Topic {} was not created on first use: {} ({})",
              topic.name(),
              topic.errorMessage(),
              error);
        }
      }
      names.forEach(AutoTopicCreation.this::finish);
    }

    @Override
    public void fail(Throwable cause) {
      LOG.warn("Topics {} were not created on first use: {}", names, cause.getMessage());
      names.forEach(AutoTopicCreation.this::finish);
    }
  }
}
