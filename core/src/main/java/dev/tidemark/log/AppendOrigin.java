package dev.tidemark.log;

/** Where records come from, which decides how much is checked. */
public enum AppendOrigin {
  /** A Produce request: nothing is taken on trust. */
  CLIENT,
  /** Our own coordinators: control batches are allowed. */
  COORDINATOR,
  /** The cluster metadata log: batches keep what their writer set except offset and epoch. */
  METADATA,
  /** A leader's answer to a fetch: offsets and epochs are the leader's. */
  REPLICATION
}
