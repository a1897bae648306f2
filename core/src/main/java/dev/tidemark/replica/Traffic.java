package dev.tidemark.replica;

import org.jspecify.annotations.Nullable;

/** What was written and read: of a topic, and through it of the node. Owned by one shard. */
public final class Traffic {
  private final @Nullable Traffic whole;
  private long messagesIn;
  private long bytesIn;
  private long bytesOut;
  private long produceRequests;
  private long fetchRequests;
  private long failedProduceRequests;
  private long failedFetchRequests;

  /**
   * Counts from zero.
   *
   * @param whole what this is a part of; null for the node's
   */
  public Traffic(@Nullable Traffic whole) {
    this.whole = whole;
  }

  void appended(long messages, long bytes) {
    messagesIn += messages;
    bytesIn += bytes;
    if (whole != null) {
      whole.appended(messages, bytes);
    }
  }

  /** One partition's part of a Produce request has ended. */
  public void produced(boolean ok) {
    produceRequests++;
    failedProduceRequests += ok ? 0 : 1;
    if (whole != null) {
      whole.produced(ok);
    }
  }

  /** One partition's part of a Fetch request was read; {@code bytes} of records go out. */
  public void fetched(boolean ok, long bytes) {
    fetchRequests++;
    failedFetchRequests += ok ? 0 : 1;
    bytesOut += bytes;
    if (whole != null) {
      whole.fetched(ok, bytes);
    }
  }

  /** Records written, by clients and by the coordinators on this node. */
  public long messagesIn() {
    return messagesIn;
  }

  public long bytesIn() {
    return bytesIn;
  }

  public long bytesOut() {
    return bytesOut;
  }

  /** Parts of Produce requests, one for each partition. */
  public long produceRequests() {
    return produceRequests;
  }

  /** Parts of Fetch requests, one for each partition that was looked at for an answer. */
  public long fetchRequests() {
    return fetchRequests;
  }

  public long failedProduceRequests() {
    return failedProduceRequests;
  }

  public long failedFetchRequests() {
    return failedFetchRequests;
  }
}
