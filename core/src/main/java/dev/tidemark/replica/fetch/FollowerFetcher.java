package dev.tidemark.replica.fetch;

import dev.tidemark.env.Timers;
import dev.tidemark.log.EpochEnd;
import dev.tidemark.protocol.FetchedPartitionData;
import dev.tidemark.replica.FetchPosition;
import dev.tidemark.replica.FollowerStep;
import dev.tidemark.replica.LeaderAnswer;
import dev.tidemark.replica.PartitionFollower;
import dev.tidemark.replica.ReplicaContext;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchRequestData.ReplicaState;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.FetchResponseData.FetchableTopicResponse;
import org.apache.kafka.common.message.FetchResponseData.PartitionData;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.FetchResponse;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Fetches for all followers of one shard from one broker that leads them: one fetch in flight, the
 * next one leaves when its answer has been taken in. Its cost goes by what changed, not by how many
 * partitions there are. Owned by the shard.
 *
 * <p>A follower that cannot go on leaves the session until it can, so that the leader does not send
 * the same again: after an error for a while, while it asks for offsets, while it syncs, while its
 * quota is used up. Syncs take a moment only, and the leader is told of their end by the next
 * fetch; so while one runs no fetch goes out that would wait at the leader for data.
 */
public final class FollowerFetcher {
  private static final Logger LOG = LoggerFactory.getLogger(FollowerFetcher.class);

  private final int leaderId;
  private final FetcherSettings settings;
  private final LeaderConnection connection;
  private final ReplicaContext context;
  private final FollowerSession session;
  private final Map<PartitionKey, FetchedFollower> followers = new LinkedHashMap<>();
  private final Set<FetchedFollower> syncing = new LinkedHashSet<>();
  private final HeldFollowers held;
  private Timers.@Nullable Timer timeout;

  /** Which fetch an answer or a timer is about. */
  private long fetchNumber;

  private boolean inFlight;
  private boolean pausing;
  private boolean sessionLostBefore;
  private boolean stopped;

  /** Begins without followers. */
  public FollowerFetcher(
      int leaderId,
      FetcherSettings settings,
      LeaderConnection connection,
      FollowerThrottle throttle,
      ReplicaContext context) {
    this.leaderId = leaderId;
    this.settings = settings;
    this.connection = connection;
    this.context = context;
    this.session = new FollowerSession(settings.partitionMaxBytes());
    this.held =
        new HeldFollowers(throttle, context, Math.max(1, settings.backoffMs()), this::onQuotaFree);
  }

  public int leaderId() {
    return leaderId;
  }

  public boolean isEmpty() {
    return followers.isEmpty();
  }

  /** Fetches for a follower of this leader from now on. */
  public void add(PartitionFollower follower) {
    add(List.of(follower));
  }

  /** Fetches for these followers of this leader from now on. */
  public void add(List<PartitionFollower> some) {
    some.forEach(this::take);
    proceed();
  }

  private void take(PartitionFollower follower) {
    FetchedFollower added = new FetchedFollower(follower);
    FetchedFollower before = followers.put(added.key, added);
    if (before != null) {
      leave(before);
    }
    follower.onAttention(() -> onAttention(added));
    settle(added, follower.step());
  }

  /** Fetches for it no more: it follows somebody else, or its role has ended. */
  public void remove(PartitionFollower follower) {
    FetchedFollower found = followers.get(PartitionKey.of(follower.log().id()));
    if (found != null && found.follower == follower) {
      followers.remove(found.key);
      leave(found);
      proceed();
    }
  }

  private void leave(FetchedFollower one) {
    session.forget(one);
    syncing.remove(one);
    held.remove(one);
    one.follower.onAttention(() -> {});
  }

  /** Ends all fetching. */
  public void stop() {
    stopped = true;
    fetchNumber++;
    cancelTimeout();
    held.stop();
    connection.drop();
    followers.values().forEach(one -> one.follower.onAttention(() -> {}));
    followers.clear();
  }

  private boolean isHere(FetchedFollower one) {
    return !stopped && followers.get(one.key) == one;
  }

  private void onAttention(FetchedFollower one) {
    if (isHere(one) && !one.resting) {
      settle(one, one.follower.step());
      proceed();
    }
  }

  // --- sending ---

  private void proceed() {
    if (stopped || inFlight || pausing) {
      return;
    }
    holdBack();
    if (!session.isEmpty() && (syncing.isEmpty() || session.hasNews())) {
      send();
    }
  }

  /** The followers whose quota is used up are not fetched for. */
  private void holdBack() {
    if (held.begins()) {
      session.wanted().stream().filter(held::takes).forEach(session::forget);
    }
  }

  private void onQuotaFree(List<FetchedFollower> freed) {
    freed.forEach(one -> settle(one, one.follower.step()));
    proceed();
  }

  private void send() {
    FetchRequestData request =
        new FetchRequestData()
            .setReplicaState(
                new ReplicaState()
                    .setReplicaId(context.brokerId())
                    .setReplicaEpoch(context.brokers().ownEpoch()))
            .setMaxWaitMs(syncing.isEmpty() ? settings.maxWaitMs() : 0)
            .setMinBytes(settings.minBytes())
            .setMaxBytes(settings.maxBytes());
    session.fill(request);
    inFlight = true;
    long number = ++fetchNumber;
    timeout = context.timers().schedule(settings.timeoutMs(), () -> onTimeout(number));
    connection.fetch(request, (error, response) -> onReply(number, error, response));
  }

  private void onTimeout(long number) {
    if (number == fetchNumber && inFlight) {
      connection.drop();
      onFailure("no answer for " + settings.timeoutMs() + " ms");
    }
  }

  private void cancelTimeout() {
    if (timeout != null) {
      timeout.cancel();
      timeout = null;
    }
  }

  private void onFailure(String why) {
    LOG.warn(
        "Fetch from broker {} failed: {}; again in {} ms", leaderId, why, settings.backoffMs());
    endFetch();
    session.restart();
    pause();
  }

  private void endFetch() {
    inFlight = false;
    fetchNumber++;
    cancelTimeout();
  }

  private void pause() {
    pausing = true;
    context
        .timers()
        .schedule(
            settings.backoffMs(),
            () -> {
              pausing = false;
              proceed();
            });
  }

  // --- hearing ---

  private void onReply(long number, Errors error, @Nullable FetchResponseData response) {
    if (number != fetchNumber || !inFlight) {
      return;
    }
    if (response == null) {
      onFailure(error.message());
      return;
    }
    Errors whole = Errors.forCode(response.errorCode());
    switch (whole) {
      case NONE -> onAnswers(response);
      case FETCH_SESSION_ID_NOT_FOUND, INVALID_FETCH_SESSION_EPOCH, FETCH_SESSION_TOPIC_ID_ERROR ->
          onSessionLost(whole);
      default -> onFailure(whole.message());
    }
  }

  private void onSessionLost(Errors error) {
    if (sessionLostBefore) {
      onFailure(error.message());
      return;
    }
    LOG.info("Fetch session at broker {} begins anew: {}", leaderId, error);
    sessionLostBefore = true;
    endFetch();
    session.lost();
    proceed();
  }

  private void onAnswers(FetchResponseData response) {
    endFetch();
    sessionLostBefore = false;
    session.onAnswered(response);
    for (FetchableTopicResponse topic : response.responses()) {
      for (PartitionData data : topic.partitions()) {
        FetchedFollower one = session.find(topic.topicId(), data.partitionIndex());
        FetchPosition told = one == null ? null : one.told;
        if (one != null && told != null) {
          held.record(one, FetchResponse.recordsSize(data));
          settle(one, take(one.follower, told, data));
        }
      }
    }
    proceed();
  }

  private FollowerStep take(PartitionFollower follower, FetchPosition told, PartitionData data) {
    EpochEnd diverging =
        FetchResponse.isDivergingEpoch(data)
            ? new EpochEnd(data.divergingEpoch().epoch(), data.divergingEpoch().endOffset())
            : null;
    LeaderAnswer answer =
        new LeaderAnswer(
            Errors.forCode(data.errorCode()),
            data.highWatermark(),
            data.logStartOffset(),
            FetchedPartitionData.logEndOffsetOf(data),
            diverging,
            FetchedPartitionData.recordsOf(data));
    try {
      return follower.onAnswer(told, answer);
    } catch (IOException e) {
      return onDiskFailure(follower, e);
    }
  }

  private static FollowerStep onDiskFailure(PartitionFollower follower, IOException e) {
    LOG.error("[Partition {}] Replication failed: {}", follower.log().id(), e.getMessage());
    FollowerStep step = follower.step();
    return step == FollowerStep.FETCH ? FollowerStep.BACK_OFF : step;
  }

  // --- what each needs ---

  private void settle(FetchedFollower one, FollowerStep step) {
    if (step != FollowerStep.AWAIT_SYNC) {
      syncing.remove(one);
    }
    if (step != FollowerStep.FETCH) {
      held.remove(one);
    }
    if (step == FollowerStep.FETCH && !held.takes(one)) {
      session.want(one);
      return;
    }
    session.forget(one);
    switch (step) {
      case AWAIT_SYNC -> syncing.add(one);
      case BACK_OFF -> backOff(one);
      case ASK_OFFSETS -> askOffsets(one);
      default -> {
        // It waits for metadata or its quota, or is at its end: whoever owns it comes back.
      }
    }
  }

  private void backOff(FetchedFollower one) {
    one.resting = true;
    context.timers().schedule(settings.backoffMs(), () -> resume(one));
  }

  private void resume(FetchedFollower one) {
    one.resting = false;
    if (isHere(one)) {
      settle(one, one.follower.step());
      proceed();
    }
  }

  private void askOffsets(FetchedFollower one) {
    FetchPosition asked = one.follower.position();
    long number = ++one.questionNumber;
    one.resting = true;
    context
        .timers()
        .schedule(
            settings.timeoutMs(),
            () -> onOffsets(one, number, asked, Errors.REQUEST_TIMED_OUT, -1, -1));
    connection.askOffsets(
        new OffsetsQuestion(one.follower.log().id(), asked.leaderEpoch()),
        (error, start, end) -> onOffsets(one, number, asked, error, start, end));
  }

  private void onOffsets(
      FetchedFollower one, long number, FetchPosition asked, Errors error, long start, long end) {
    if (number != one.questionNumber || !isHere(one)) {
      return;
    }
    one.questionNumber++;
    one.resting = false;
    settle(one, takeOffsets(one.follower, asked, error, start, end));
    proceed();
  }

  private static FollowerStep takeOffsets(
      PartitionFollower follower, FetchPosition asked, Errors error, long start, long end) {
    if (error != Errors.NONE) {
      follower.onNoLeaderOffsets(asked);
      return FollowerStep.BACK_OFF;
    }
    try {
      return follower.onLeaderOffsets(asked, start, end);
    } catch (IOException e) {
      return onDiskFailure(follower, e);
    }
  }
}
