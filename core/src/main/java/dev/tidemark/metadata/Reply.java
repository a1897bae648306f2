package dev.tidemark.metadata;

/** Where the controller's answer to one call goes: exactly one of the two, on the control shard. */
public interface Reply<T> {
  /** What the call asked for is durable and published to the data shard. */
  void succeed(T result);

  /** The call as a whole failed; single refusals are in the result. */
  void fail(Throwable cause);
}
