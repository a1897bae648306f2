package dev.tidemark.replica;

/**
 * How far a replica may be behind and count as in sync.
 *
 * @param timeMaxMs {@code replica.lag.time.max.ms}: since it had all that the leader had
 * @param offsetsMax {@code tidemark.replica.lag.max.offsets}; {@code Long.MAX_VALUE} is off
 */
public record LagRule(long timeMaxMs, long offsetsMax) {
  private static final LagRule DEFAULTS = new LagRule(30_000, Long.MAX_VALUE);

  public static LagRule defaults() {
    return DEFAULTS;
  }
}
