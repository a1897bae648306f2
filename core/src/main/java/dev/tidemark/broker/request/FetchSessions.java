package dev.tidemark.broker.request;

import dev.tidemark.env.Clock;
import dev.tidemark.env.Randomness;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.FetchMetadata;
import org.jspecify.annotations.Nullable;

/**
 * The fetch sessions of all clients, bounded in number. When all slots are taken, the session that
 * was idle longest makes room if it was idle for two minutes, as in Kafka; otherwise the client
 * gets no session and names all its partitions each time.
 */
final class FetchSessions {
  private static final long MIN_IDLE_BEFORE_EVICTION_MS = 120_000;
  private static final short FIRST_VERSION_WITH_TOPIC_ID = 13;

  /**
   * How one request is to be answered.
   *
   * @param session what to serve; when it is not kept, its id is 0
   * @param incremental true if only changes are told
   */
  record Lookup(Errors error, @Nullable FetchSession session, boolean incremental) {}

  private final int maxSessions;
  private final Clock clock;
  private final Randomness randomness;
  private final Map<Integer, FetchSession> sessions = new LinkedHashMap<>(); // idle longest first

  FetchSessions(int maxSessions, Clock clock, Randomness randomness) {
    this.maxSessions = maxSessions;
    this.clock = clock;
    this.randomness = randomness;
  }

  int size() {
    return sessions.size();
  }

  Lookup lookUp(FetchRequestData request, short version) {
    boolean usesTopicIds = version >= FIRST_VERSION_WITH_TOPIC_ID;
    int epoch = request.sessionEpoch();
    if (epoch == FetchMetadata.INITIAL_EPOCH || epoch == FetchMetadata.FINAL_EPOCH) {
      if (request.sessionId() != FetchMetadata.INVALID_SESSION_ID) {
        sessions.remove(request.sessionId());
      }
      FetchSession session =
          epoch == FetchMetadata.INITIAL_EPOCH && !request.topics().isEmpty()
              ? newSession(usesTopicIds)
              : unkept(usesTopicIds);
      session.update(request);
      return new Lookup(Errors.NONE, session, false);
    }
    return continued(request, epoch, usesTopicIds);
  }

  private Lookup continued(FetchRequestData request, int epoch, boolean usesTopicIds) {
    FetchSession session = sessions.remove(request.sessionId());
    if (session == null) {
      return new Lookup(Errors.FETCH_SESSION_ID_NOT_FOUND, null, false);
    }
    sessions.put(session.id(), session);
    if (session.nextEpoch() != epoch) {
      return new Lookup(Errors.INVALID_FETCH_SESSION_EPOCH, null, false);
    }
    if (session.usesTopicIds() != usesTopicIds) {
      return new Lookup(Errors.FETCH_SESSION_TOPIC_ID_ERROR, null, false);
    }
    session.advance(clock.monotonicMs());
    session.update(request);
    return new Lookup(Errors.NONE, session, true);
  }

  private FetchSession newSession(boolean usesTopicIds) {
    long nowMs = clock.monotonicMs();
    if (sessions.size() >= maxSessions && !evictIdle(nowMs)) {
      return unkept(usesTopicIds);
    }
    int id;
    do {
      id = randomness.nextInt(Integer.MAX_VALUE);
    } while (id == FetchMetadata.INVALID_SESSION_ID || sessions.containsKey(id));
    FetchSession session = new FetchSession(id, usesTopicIds, nowMs);
    sessions.put(id, session);
    return session;
  }

  private boolean evictIdle(long nowMs) {
    var oldest = sessions.values().iterator();
    if (oldest.hasNext() && nowMs - oldest.next().lastUsedMs() >= MIN_IDLE_BEFORE_EVICTION_MS) {
      oldest.remove();
      return true;
    }
    return false;
  }

  private FetchSession unkept(boolean usesTopicIds) {
    return new FetchSession(FetchMetadata.INVALID_SESSION_ID, usesTopicIds, clock.monotonicMs());
  }
}
