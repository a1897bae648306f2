package dev.tidemark.replica;

import java.util.Arrays;

/**
 * When each follower broker last fetched from this shard, whatever it asked for. In an incremental
 * session a follower does not name a partition whose log it has whole, however long that lasts;
 * that it still fetches shows that it still has it. Owned by the shard.
 */
public final class FollowerContacts {
  private static final long NEVER = Long.MIN_VALUE;

  private int[] brokerIds = {};
  private long[] lastFetchMs = {};

  /** A fetch has come in. */
  public void note(int brokerId, long nowMs) {
    int index = indexOf(brokerId);
    if (index < 0) {
      index = brokerIds.length;
      brokerIds = Arrays.copyOf(brokerIds, index + 1);
      lastFetchMs = Arrays.copyOf(lastFetchMs, index + 1);
      brokerIds[index] = brokerId;
    }
    lastFetchMs[index] = nowMs;
  }

  /** Monotonic milliseconds; {@code Long.MIN_VALUE} for never. */
  long lastFetchMs(int brokerId) {
    int index = indexOf(brokerId);
    return index < 0 ? NEVER : lastFetchMs[index];
  }

  private int indexOf(int brokerId) {
    for (int i = 0; i < brokerIds.length; i++) {
      if (brokerIds[i] == brokerId) {
        return i;
      }
    }
    return -1;
  }
}
