package dev.tidemark.replica.fetch;

import dev.tidemark.log.LogId;
import dev.tidemark.replica.FetchPosition;
import dev.tidemark.replica.FollowerStep;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchRequestData.FetchPartition;
import org.apache.kafka.common.message.FetchRequestData.FetchTopic;
import org.apache.kafka.common.message.FetchRequestData.ForgottenTopic;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.requests.FetchMetadata;
import org.jspecify.annotations.Nullable;

/**
 * The follower's side of an incremental fetch session (KIP-227): the leader remembers what was
 * asked, so a request names only partitions whose position changed or that are not wanted any more.
 * A leader without room for a session gets all of them each time.
 */
final class FollowerSession {
  private final int partitionMaxBytes;
  private final Map<PartitionKey, FetchedFollower> wanted = new LinkedHashMap<>();
  private final Set<FetchedFollower> news = new LinkedHashSet<>();
  private final Map<PartitionKey, LogId> unwanted = new LinkedHashMap<>();
  private FetchMetadata next = FetchMetadata.INITIAL;

  FollowerSession(int partitionMaxBytes) {
    this.partitionMaxBytes = partitionMaxBytes;
  }

  boolean isEmpty() {
    return wanted.isEmpty();
  }

  /** All that are wanted, in the order in which they came. */
  List<FetchedFollower> wanted() {
    return List.copyOf(wanted.values());
  }

  /** True when the leader's session does not yet know all that it should. */
  boolean hasNews() {
    return !news.isEmpty();
  }

  /** Fetches for this follower from now on, from where it is now. */
  void want(FetchedFollower follower) {
    wanted.put(follower.key, follower);
    unwanted.remove(follower.key);
    if (follower.hasNews()) {
      news.add(follower);
    }
  }

  /** Fetches for it no more, until it is wanted again. */
  void forget(FetchedFollower follower) {
    if (wanted.remove(follower.key) != null && follower.told != null) {
      unwanted.put(follower.key, follower.follower.log().id());
    }
    news.remove(follower);
    follower.told = null;
  }

  /** The one that an answer is about; null when it is not wanted any more. */
  @Nullable FetchedFollower find(Uuid topicId, int partition) {
    FetchedFollower found = wanted.get(new PartitionKey(topicId, partition));
    return found == null || found.told == null ? null : found;
  }

  /** Fills in the next request; with its answer or its end the session goes on. */
  void fill(FetchRequestData request) {
    request.setSessionId(next.sessionId()).setSessionEpoch(next.epoch());
    Map<Uuid, FetchTopic> topics = new LinkedHashMap<>();
    for (FetchedFollower one : next.isFull() ? wanted.values() : news) {
      if (one.follower.step() != FollowerStep.FETCH) {
        continue; // its settings changed meanwhile; it calls for attention
      }
      FetchPosition position = one.follower.position();
      one.told = position;
      topics
          .computeIfAbsent(one.key.topicId(), id -> new FetchTopic().setTopicId(id))
          .partitions()
          .add(partition(one.key, position));
    }
    request.topics().addAll(topics.values());
    if (!next.isFull()) {
      request.forgottenTopicsData().addAll(forgotten().values());
    }
    news.clear();
    unwanted.clear();
  }

  private FetchPartition partition(PartitionKey key, FetchPosition position) {
    return new FetchPartition()
        .setPartition(key.partition())
        .setCurrentLeaderEpoch(position.leaderEpoch())
        .setFetchOffset(position.fetchOffset())
        .setLastFetchedEpoch(position.lastFetchedEpoch())
        .setLogStartOffset(position.logStartOffset())
        .setHighWatermark(position.highWatermark())
        .setPartitionMaxBytes(partitionMaxBytes);
  }

  private Map<Uuid, ForgottenTopic> forgotten() {
    Map<Uuid, ForgottenTopic> topics = new LinkedHashMap<>();
    unwanted.forEach(
        (key, id) ->
            topics
                .computeIfAbsent(key.topicId(), topicId -> new ForgottenTopic().setTopicId(topicId))
                .partitions()
                .add(key.partition()));
    return topics;
  }

  /** A request was answered without an error of the whole. */
  void onAnswered(FetchResponseData response) {
    if (response.sessionId() == FetchMetadata.INVALID_SESSION_ID) {
      restart();
    } else {
      next =
          next.isFull()
              ? FetchMetadata.newIncremental(response.sessionId())
              : next.nextIncremental();
    }
  }

  /** Nobody knows what the leader knows: the next request names all. */
  void restart() {
    next =
        next.sessionId() == FetchMetadata.INVALID_SESSION_ID
            ? FetchMetadata.INITIAL
            : next.nextCloseExistingAttemptNew();
    unwanted.clear();
    news.addAll(wanted.values());
  }

  /** The leader knows no such session. */
  void lost() {
    restart();
    next = FetchMetadata.INITIAL;
  }
}
