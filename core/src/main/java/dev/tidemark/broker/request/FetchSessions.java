package dev.tidemark.broker.request;

import dev.tidemark.env.Clock;
import dev.tidemark.env.Randomness;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchRequestData.FetchTopic;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.FetchMetadata;
import org.jspecify.annotations.Nullable;

/**
 * The fetch sessions of all clients, bounded in number and in the partitions they keep. When all
 * slots are taken, the session that was idle longest makes room if it was idle for two minutes, as
 * in Kafka; otherwise the client gets no session and names all its partitions each time.
 */
final class FetchSessions {
  /** Of all sessions together; some 40 MB. */
  static final int MAX_PARTITIONS = 250_000;

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
  private int keptPartitions;
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
        drop(request.sessionId());
      }
      FetchSession session =
          epoch == FetchMetadata.INITIAL_EPOCH && !request.topics().isEmpty()
              ? newSession(usesTopicIds, partitionsOf(request))
              : unkept(usesTopicIds);
      session.update(request);
      keep(session);
      return new Lookup(Errors.NONE, session, false);
    }
    return continued(request, epoch, usesTopicIds);
  }

  private Lookup continued(FetchRequestData request, int epoch, boolean usesTopicIds) {
    FetchSession session = drop(request.sessionId());
    if (session == null) {
      return new Lookup(Errors.FETCH_SESSION_ID_NOT_FOUND, null, false);
    }
    if (keptPartitions + session.size() + partitionsOf(request) > MAX_PARTITIONS) {
      return new Lookup(Errors.FETCH_SESSION_ID_NOT_FOUND, null, false); // it begins anew
    }
    keep(session);
    if (session.nextEpoch() != epoch) {
      return new Lookup(Errors.INVALID_FETCH_SESSION_EPOCH, null, false);
    }
    if (session.usesTopicIds() != usesTopicIds) {
      return new Lookup(Errors.FETCH_SESSION_TOPIC_ID_ERROR, null, false);
    }
    session.advance(clock.monotonicMs());
    keptPartitions -= session.size();
    session.update(request);
    keptPartitions += session.size();
    return new Lookup(Errors.NONE, session, true);
  }

  private void keep(FetchSession session) {
    if (session.id() != FetchMetadata.INVALID_SESSION_ID) {
      sessions.put(session.id(), session);
      keptPartitions += session.size();
    }
  }

  private @Nullable FetchSession drop(int id) {
    FetchSession session = sessions.remove(id);
    if (session != null) {
      keptPartitions -= session.size();
    }
    return session;
  }

  private static int partitionsOf(FetchRequestData request) {
    int partitions = 0;
    for (FetchTopic topic : request.topics()) {
      partitions += topic.partitions().size();
    }
    return partitions;
  }

  private FetchSession newSession(boolean usesTopicIds, int partitions) {
    if (keptPartitions + partitions > MAX_PARTITIONS) {
      return unkept(usesTopicIds);
    }
    long nowMs = clock.monotonicMs();
    if (sessions.size() >= maxSessions && !evictIdle(nowMs)) {
      return unkept(usesTopicIds);
    }
    int id;
    do {
      id = randomness.nextInt(Integer.MAX_VALUE);
    } while (id == FetchMetadata.INVALID_SESSION_ID || sessions.containsKey(id));
    return new FetchSession(id, usesTopicIds, nowMs);
  }

  private boolean evictIdle(long nowMs) {
    var oldest = sessions.values().iterator();
    if (!oldest.hasNext()) {
      return false;
    }
    FetchSession session = oldest.next();
    if (nowMs - session.lastUsedMs() < MIN_IDLE_BEFORE_EVICTION_MS) {
      return false;
    }
    oldest.remove();
    keptPartitions -= session.size();
    return true;
  }

  private FetchSession unkept(boolean usesTopicIds) {
    return new FetchSession(FetchMetadata.INVALID_SESSION_ID, usesTopicIds, clock.monotonicMs());
  }
}
