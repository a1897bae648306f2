package dev.tidemark.broker.request;

import dev.tidemark.broker.Partitions;
import dev.tidemark.broker.Request;
import dev.tidemark.broker.RequestHandler;
import dev.tidemark.env.Clock;
import dev.tidemark.env.Randomness;
import dev.tidemark.env.Timers;
import dev.tidemark.replica.PartitionReplica;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.FetchMetadata;
import org.apache.kafka.common.requests.FetchRequest;
import org.apache.kafka.common.requests.FetchResponse;

/** Fetch: reads what is committed, waits for more if the client asked to (KIP-227, KIP-320). */
public final class FetchHandler implements RequestHandler {
  private final Partitions partitions;
  private final FetchSessions sessions;
  private final Timers timers;
  private final int maxBytes;
  private final ReadReplicas readReplicas;
  private final FollowerSessions followers;
  private final CurrentLeaders leaders;
  private final BooleanSupplier mayServe; // one for all requests

  /**
   * @param maxBytes no answer is larger, but for a first batch ({@code fetch.max.bytes})
   * @param maxSessions {@code max.incremental.fetch.session.cache.slots}
   * @param readReplicas where consumers had better read from
   * @param followers the fetches of other brokers
   * @param leaders whom those who ask the wrong broker are told of
   */
  public FetchHandler(
      Partitions partitions,
      Clock clock,
      Timers timers,
      Randomness randomness,
      int maxBytes,
      int maxSessions,
      ReadReplicas readReplicas,
      FollowerSessions followers,
      CurrentLeaders leaders) {
    this.partitions = partitions;
    this.timers = timers;
    this.maxBytes = maxBytes;
    this.readReplicas = readReplicas;
    this.followers = followers;
    this.leaders = leaders;
    this.mayServe = partitions::mayServe;
    this.sessions = new FetchSessions(maxSessions, clock, randomness);
  }

  @Override
  public void handle(Request request) {
    FetchRequestData data = request.data(FetchRequestData.class);
    if (followers.takes(request, data)) {
      followers.serve(request, data);
      return;
    }
    FetchSessions.Lookup lookup = sessions.lookUp(data, request.version());
    FetchSession session = lookup.session();
    if (session == null) {
      request.answer(
          new FetchResponseData()
              .setErrorCode(lookup.error().code())
              .setSessionId(FetchMetadata.INVALID_SESSION_ID));
      return;
    }
    List<FetchedPartition> wanted = session.inOrder();
    if (FetchRequest.isValidBrokerId(FetchRequest.replicaId(data))) {
      refuseFollower(request, session, wanted);
      return;
    }
    FetchAttempt attempt = attempt(request, data, wanted);
    boolean enough =
        attempt.answerNow()
            || attempt.bytes() >= data.minBytes()
            || data.maxWaitMs() <= 0
            || wanted.isEmpty();
    if (enough) {
      answer(request, attempt, session, lookup.incremental());
    } else {
      waitForMore(request, data, session, lookup.incremental(), attempt);
    }
  }

  private FetchAttempt attempt(
      Request request, FetchRequestData data, List<FetchedPartition> wanted) {
    FetchAttempt attempt =
        new FetchAttempt(
            partitions,
            Math.min(data.maxBytes(), maxBytes),
            FetchReader.of(data, request.version()),
            readReplicas);
    attempt.readAll(wanted);
    return attempt;
  }

  private void answer(
      Request request, FetchAttempt attempt, FetchSession session, boolean incremental) {
    if (attempt.isLeaders()) {
      request.leavesOnlyWhile(mayServe);
    }
    FetchResponseData response = attempt.toResponse(session, incremental);
    leaders.tell(request, response);
    request.answer(response);
  }

  private void waitForMore(
      Request request,
      FetchRequestData data,
      FetchSession session,
      boolean incremental,
      FetchAttempt first) {
    List<PartitionReplica> watched = new ArrayList<>(first.parts().size());
    List<FetchedPartition> wanted = new ArrayList<>(first.parts().size());
    for (FetchAttempt.Part part : first.parts()) {
      wanted.add(part.wanted());
      if (part.partition() != null) {
        watched.add(part.partition());
      }
    }
    long missing = Math.max(1L, (long) data.minBytes() - first.bytes());
    first.release();
    WaitingFetch waiting =
        new WaitingFetch(
            watched,
            data.isolationLevel() == IsolationLevel.READ_COMMITTED.id(),
            missing,
            () ->
                request.goOn(
                    () -> answer(request, attempt(request, data, wanted), session, incremental)));
    request.whenAbandoned(waiting::cancel);
    waiting.start(timers, data.maxWaitMs());
  }

  /** Whoever calls itself a replica where there are no others is told so. */
  private static void refuseFollower(
      Request request, FetchSession session, List<FetchedPartition> wanted) {
    FetchResponseData response = new FetchResponseData().setSessionId(session.id());
    FetchAnswerTopics topics = new FetchAnswerTopics(response);
    for (FetchedPartition one : wanted) {
      topics.add(
          one.key(),
          FetchResponse.partitionResponse(one.key().partition(), Errors.NOT_LEADER_OR_FOLLOWER)
              .setAbortedTransactions(null));
    }
    request.answer(response);
  }
}
