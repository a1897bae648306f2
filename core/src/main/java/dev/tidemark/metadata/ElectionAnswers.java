package dev.tidemark.metadata;

import dev.tidemark.env.Timers;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.ElectLeadersResponseData;
import org.apache.kafka.common.message.ElectLeadersResponseData.PartitionResult;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.image.MetadataDelta;
import org.apache.kafka.image.TopicDelta;
import org.jspecify.annotations.Nullable;

/**
 * Answers to ElectLeaders that wait until the partitions have their leaders: who asks for the
 * metadata next finds what the answer says. Bounded by the time-out of the request.
 */
final class ElectionAnswers {
  private final Timers timers;
  private final List<Waiting> waiting = new ArrayList<>();

  ElectionAnswers(Timers timers) {
    this.timers = timers;
  }

  /** Answers once none of {@code moving} is without a leader. */
  void await(
      ElectLeadersResponseData response,
      Map<PartitionKey, PartitionResult> moving,
      long timeoutMs,
      Reply<ElectLeadersResponseData> reply) {
    if (moving.isEmpty()) {
      reply.succeed(response);
      return;
    }
    Waiting one = new Waiting(response, new TreeMap<>(moving), reply);
    waiting.add(one);
    one.timer = timers.schedule(Math.max(0, timeoutMs), () -> timeOut(one));
  }

  void onMetadataUpdate(MetadataDelta delta) {
    if (waiting.isEmpty() || delta.topicsDelta() == null) {
      return;
    }
    for (Waiting one : List.copyOf(waiting)) {
      for (Uuid deleted : delta.topicsDelta().deletedTopicIds()) {
        one.moving.keySet().removeIf(key -> key.topicId().equals(deleted));
      }
      for (TopicDelta topic : delta.topicsDelta().changedTopics().values()) {
        topic
            .partitionChanges()
            .forEach(
                (index, state) -> {
                  if (state.hasLeader()) {
                    one.moving.remove(new PartitionKey(topic.id(), index));
                  }
                });
      }
      if (one.moving.isEmpty()) {
        answer(one);
      }
    }
  }

  /** Another node decides from now on; the moves go on there. */
  void onResigned() {
    List.copyOf(waiting).forEach(this::timeOut);
  }

  private void timeOut(Waiting one) {
    one.moving
        .values()
        .forEach(
            result ->
                result
                    .setErrorCode(Errors.REQUEST_TIMED_OUT.code())
                    .setErrorMessage("The old leader has not stopped yet; the move goes on."));
    answer(one);
  }

  private void answer(Waiting one) {
    if (waiting.remove(one)) {
      if (one.timer != null) {
        one.timer.cancel();
      }
      one.reply.succeed(one.response);
    }
  }

  /** One request. */
  private static final class Waiting {
    final ElectLeadersResponseData response;
    final Map<PartitionKey, PartitionResult> moving;
    final Reply<ElectLeadersResponseData> reply;
    Timers.@Nullable Timer timer;

    Waiting(
        ElectLeadersResponseData response,
        Map<PartitionKey, PartitionResult> moving,
        Reply<ElectLeadersResponseData> reply) {
      this.response = response;
      this.moving = moving;
      this.reply = reply;
    }
  }
}
