package dev.tidemark.replica.fetch;

import dev.tidemark.env.Timers;
import dev.tidemark.replica.FollowerFetch;
import dev.tidemark.replica.ReplicaContext;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchRequestData.FetchPartition;
import org.apache.kafka.common.message.FetchRequestData.FetchTopic;
import org.apache.kafka.common.message.FetchRequestData.ForgottenTopic;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.FetchResponseData.FetchableTopicResponse;
import org.apache.kafka.common.message.FetchResponseData.PartitionData;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.FetchMetadata;
import org.apache.kafka.common.requests.FetchResponse;
import org.jspecify.annotations.Nullable;

/**
 * The leader's side of one follower broker's fetches from a shard: its incremental session and the
 * fetch that waits for news. A partition is looked at only when its follower told something new or
 * something happened to it, so a fetch costs what changed, however many partitions there are.
 *
 * <p>A waiting fetch is answered at the end of the event that brings data, so that what one event
 * appends to many partitions goes out in one answer. A high watermark alone waits a moment for data
 * to ride on. What is under a throttle that is used up is told without its records, which follow as
 * soon as the quota is free. Owned by the shard.
 */
public final class ServedSession implements ServedPartition.Owner {
  /** Takes an answer over, records included. */
  @FunctionalInterface
  public interface Answer {
    void send(FetchResponseData response);
  }

  private record Part(ServedPartition partition, PartitionData data) {}

  private final LedPartitions source;
  private final ServingSettings settings;
  private final ReplicationThrottle throttle;
  private final ReplicaContext context;
  private final Timers timers;
  private final Map<PartitionKey, ServedPartition> partitions = new LinkedHashMap<>();
  private final ArrayDeque<ServedPartition> changed = new ArrayDeque<>();
  private final WithheldPartitions withheld;
  private int sessionId;
  private int sessionEpoch;
  private @Nullable FetchRequestData waiting;
  private @Nullable Answer answer;
  private Timers.@Nullable Timer maxWait;
  private Timers.@Nullable Timer linger;
  private Timers.@Nullable Timer quotaFree;
  private boolean waking;
  private long reads;

  /**
   * A session without partitions; its follower's first fetch fills it.
   *
   * @param throttle of what this broker sends to followers
   */
  public ServedSession(
      LedPartitions source,
      ServingSettings settings,
      ReplicationThrottle throttle,
      ReplicaContext context) {
    this.source = source;
    this.settings = settings;
    this.throttle = throttle;
    this.withheld = new WithheldPartitions(throttle);
    this.context = context;
    this.timers = context.timers();
  }

  /** How often a partition was looked at so far. */
  public long reads() {
    return reads;
  }

  /** Takes in a follower's fetch; {@code to} gets the answer once, maybe within this call. */
  public void onFetch(FetchRequestData request, Answer to) {
    endWait(); // a follower has one fetch in flight: the one before is not wanted any more
    Errors refused = open(request);
    if (refused != Errors.NONE) {
      to.send(new FetchResponseData().setErrorCode(refused.code()));
      return;
    }
    context.contacts().note(request.replicaState().replicaId(), context.clock().monotonicMs());
    for (ForgottenTopic topic : request.forgottenTopicsData()) {
      topic.partitions().forEach(partition -> forget(new PartitionKey(topic.topicId(), partition)));
    }
    for (FetchTopic topic : request.topics()) {
      for (FetchPartition asked : topic.partitions()) {
        ask(new PartitionKey(topic.topicId(), asked.partition()), toFetch(request, asked));
      }
    }
    waiting = request;
    answer = to;
    if (request.maxWaitMs() <= 0) {
      answerNow();
    } else {
      answerIfEnough();
    }
  }

  private Errors open(FetchRequestData request) {
    if (request.sessionEpoch() == FetchMetadata.INITIAL_EPOCH) {
      forgetAll();
      sessionId = Math.max(1, sessionId + 1);
      sessionEpoch = FetchMetadata.nextEpoch(FetchMetadata.INITIAL_EPOCH);
      return Errors.NONE;
    }
    if (request.sessionId() != sessionId || sessionId == 0) {
      return Errors.FETCH_SESSION_ID_NOT_FOUND;
    }
    if (request.sessionEpoch() != sessionEpoch) {
      return Errors.INVALID_FETCH_SESSION_EPOCH;
    }
    sessionEpoch = FetchMetadata.nextEpoch(sessionEpoch);
    return Errors.NONE;
  }

  private void ask(PartitionKey key, FollowerFetch fetch) {
    ServedPartition partition =
        partitions.computeIfAbsent(key, one -> new ServedPartition(one, fetch, source, this));
    partition.ask(fetch);
    mark(partition);
  }

  private static FollowerFetch toFetch(FetchRequestData request, FetchPartition asked) {
    return new FollowerFetch(
        request.replicaState().replicaId(),
        request.replicaState().replicaEpoch(),
        asked.currentLeaderEpoch(),
        asked.fetchOffset(),
        asked.lastFetchedEpoch(),
        asked.logStartOffset(),
        asked.highWatermark(),
        asked.partitionMaxBytes(),
        true);
  }

  private void forget(PartitionKey key) {
    ServedPartition partition = partitions.remove(key);
    if (partition != null) {
      partition.detach();
      withheld.remove(partition);
    }
  }

  private void forgetAll() {
    partitions.values().forEach(ServedPartition::detach);
    partitions.clear();
    changed.clear();
    withheld.clear();
  }

  /** The follower's connection is gone, or the broker stops: nothing is answered any more. */
  public void close() {
    endWait();
    forgetAll();
    sessionId = 0;
  }

  // --- waiting ---

  private void mark(ServedPartition partition) {
    if (!partition.queued) {
      partition.queued = true;
      changed.add(partition);
    }
  }

  @Override
  public void onNews(ServedPartition partition) {
    mark(partition);
    if (waiting != null && !waking) {
      waking = true;
      timers.schedule(
          0,
          () -> {
            waking = false;
            answerIfEnough();
          });
    }
  }

  @Override
  public void onMinorNews(ServedPartition partition) {
    mark(partition);
    lingerForMore();
  }

  private void lingerForMore() {
    if (waiting != null && linger == null) {
      linger = timers.schedule(settings.highWatermarkLingerMs(), this::answerNow);
    }
  }

  private void endWait() {
    waiting = null;
    answer = null;
    if (maxWait != null) {
      maxWait.cancel();
      maxWait = null;
    }
    if (linger != null) {
      linger.cancel();
      linger = null;
    }
    if (quotaFree != null) {
      quotaFree.cancel();
      quotaFree = null;
    }
  }

  // --- answering ---

  private void answerNow() {
    FetchRequestData request = waiting;
    if (request != null) {
      send(gather(request));
    }
  }

  /** Answers if there is enough; otherwise it waits, if it does not yet. */
  private void answerIfEnough() {
    FetchRequestData request = waiting;
    if (request == null) {
      return;
    }
    List<Part> parts = gather(request);
    if (isEnough(request, parts)) {
      send(parts);
      return;
    }
    boolean minor = false;
    for (Part part : parts) {
      minor |= part.partition().isMinorNews(part.data());
      ServedPartition.release(part.data());
      mark(part.partition());
    }
    if (minor) {
      lingerForMore();
    }
    awaitQuota();
    if (maxWait == null) {
      maxWait = timers.schedule(request.maxWaitMs(), this::answerNow);
    }
  }

  private void awaitQuota() {
    if (quotaFree == null && !withheld.isEmpty()) {
      long freeInMs = throttle.freeInMs(context.clock().monotonicMs());
      quotaFree =
          timers.schedule(
              Math.max(1, freeInMs),
              () -> {
                quotaFree = null;
                answerIfEnough();
              });
    }
  }

  private static boolean isEnough(FetchRequestData request, List<Part> parts) {
    int bytes = 0;
    for (Part part : parts) {
      int size = FetchResponse.recordsSize(part.data());
      if (size == 0 && part.partition().isNews(part.data())) {
        return true;
      }
      bytes += size;
    }
    return bytes > 0 && bytes >= request.minBytes();
  }

  /** Reads what changed, in the order in which it did; what has nothing to tell is left out. */
  private List<Part> gather(FetchRequestData request) {
    List<Part> parts = new ArrayList<>();
    long nowMs = context.clock().monotonicMs();
    withheld.release(nowMs, this::mark);
    boolean usedUp = throttle.isUsedUp(nowMs);
    int bytes = 0;
    int limit = Math.min(request.maxBytes(), settings.maxBytes());
    for (int left = changed.size(); left > 0; left--) {
      ServedPartition partition = changed.remove();
      partition.queued = false;
      if (partitions.get(partition.key) != partition) {
        continue; // forgotten meanwhile
      }
      reads++;
      withheld.remove(partition);
      boolean waits = usedUp && partition.waitsFor(throttle);
      int room = waits ? 0 : Math.max(0, limit - bytes);
      PartitionData data = partition.read(room, !waits && bytes == 0);
      bytes += FetchResponse.recordsSize(data);
      if (partition.isNews(data) || partition.isMinorNews(data)) {
        parts.add(new Part(partition, data));
      } else if (waits && partition.hasMoreThan(data)) {
        withheld.add(partition);
      } else if (partition.hasMoreThan(data)) {
        mark(partition); // there was no room: first next time
      }
    }
    return parts;
  }

  private void send(List<Part> parts) {
    Answer to = answer;
    endWait();
    FetchResponseData response = new FetchResponseData().setSessionId(sessionId);
    Map<Uuid, FetchableTopicResponse> topics = new LinkedHashMap<>();
    for (Part part : parts) {
      topics
          .computeIfAbsent(
              part.partition().key.topicId(), id -> new FetchableTopicResponse().setTopicId(id))
          .partitions()
          .add(part.data());
      count(part);
      part.partition().noteTold(part.data());
      if (part.partition().hasMoreThan(part.data())) {
        mark(part.partition());
      }
    }
    response.responses().addAll(topics.values());
    if (to != null) {
      to.send(response);
    }
  }

  private void count(Part part) {
    int size = FetchResponse.recordsSize(part.data());
    if (size > 0 && part.partition().isUnder(throttle)) {
      throttle.record(context.clock().monotonicMs(), size);
    }
  }
}
