package dev.tidemark.broker.control;

import dev.tidemark.env.Clock;

/** A lease that a test grants and takes away. */
public final class GrantedLease {
  private final Clock clock;
  private final LeaderLease lease;
  private final long sessionMs;

  public GrantedLease(Clock clock, long sessionMs) {
    this.clock = clock;
    this.sessionMs = sessionMs;
    this.lease = LeaderLease.needed(clock, sessionMs);
  }

  public LeaderLease lease() {
    return lease;
  }

  /** As if the controller had acknowledged a heartbeat that was sent now. */
  public void renew() {
    lease.grant(clock.monotonicMs(), clock.wallMs(), sessionMs);
  }

  /** As if the connection to the controller had broken. */
  public void lose() {
    lease.lose();
  }
}
