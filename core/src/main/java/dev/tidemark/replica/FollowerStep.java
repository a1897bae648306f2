package dev.tidemark.replica;

/** What a follower needs next. */
public enum FollowerStep {
  /** To fetch, at {@link PartitionFollower#position}. */
  FETCH,

  /** To fetch, but not at once: something went wrong that may be over then. */
  BACK_OFF,

  /** The leader's log start and end offset, by ListOffsets: its own log lies outside them. */
  ASK_OFFSETS,

  /** Nothing until its own sync has ended. */
  AWAIT_SYNC,

  /** Nothing until newer metadata comes: its leader leads no more. */
  AWAIT_METADATA,

  /** Nothing any more: its log takes no appends, or its role has ended. */
  NONE
}
