package dev.tidemark.broker.request;

import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.message.FetchRequestData;

/**
 * Who fetches, and what it can deal with.
 *
 * @param readCommitted it wants nothing of transactions that are open
 * @param knowsTopicIds it names topics by their ids
 * @param readsFollowers it may read from a follower, and be sent to one (KIP-392)
 * @param rack where it is, empty when it does not say
 */
record FetchReader(
    boolean readCommitted, boolean knowsTopicIds, boolean readsFollowers, String rack) {
  private static final short FIRST_VERSION_WITH_RACK = 11;
  private static final short FIRST_VERSION_WITH_TOPIC_ID = 13;

  static FetchReader of(FetchRequestData request, short version) {
    return new FetchReader(
        request.isolationLevel() == IsolationLevel.READ_COMMITTED.id(),
        version >= FIRST_VERSION_WITH_TOPIC_ID,
        version >= FIRST_VERSION_WITH_RACK,
        request.rackId());
  }
}
