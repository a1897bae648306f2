package dev.tidemark.broker.control;

import dev.tidemark.env.Clock;
import dev.tidemark.metadata.BrokerControlSettings;
import java.util.ArrayList;
import java.util.List;

/**
 * Whether this broker may serve as a leader. It may from a heartbeat that the controller has
 * acknowledged, counted from when that was sent, for a session less a margin, of this broker or of
 * that controller, whichever is the shorter; and not after the connection to the controller has
 * broken, for the controller may find out that nobody serves here and let others lead. Owned by the
 * data shard.
 *
 * <p>Time is that of the monotonic clock, which may stand still while the machine is suspended: a
 * wall clock that has got ahead of it by the margin ends the lease as well.
 */
public final class LeaderLease {
  private final Clock clock;
  private final boolean isNeeded;
  private final List<Runnable> onGranted = new ArrayList<>();
  private long marginMs;
  private long grantedMs = Long.MIN_VALUE; // when the heartbeat was sent that it rests on
  private long endMs = Long.MIN_VALUE;
  private long wallAheadMs;

  private LeaderLease(Clock clock, boolean isNeeded, long sessionMs) {
    this.clock = clock;
    this.isNeeded = isNeeded;
    this.marginMs = isNeeded ? sessionMs - BrokerControlSettings.leaseMs(sessionMs) : 0;
  }

  /** A lease that is yet to be granted; {@code sessionMs} is broker.session.timeout.ms. */
  public static LeaderLease needed(Clock clock, long sessionMs) {
    return new LeaderLease(clock, true, sessionMs);
  }

  /** For a node whose controller can let nobody else lead, and for Kafka's behaviour. */
  public static LeaderLease notNeeded(Clock clock) {
    return new LeaderLease(clock, false, 0);
  }

  /**
   * True when this broker may answer as a leader.
   *
   * @param nowMs of the monotonic clock
   */
  public boolean isHeld(long nowMs) {
    return !isNeeded || (nowMs < endMs && clock.wallMs() - nowMs - wallAheadMs < marginMs);
  }

  /** How long after its end others may lead at the earliest; 0 where it is not needed. */
  public long marginMs() {
    return marginMs;
  }

  /** {@code action} runs each time the lease is granted after it was not held. */
  public void whenGranted(Runnable action) {
    onGranted.add(action);
  }

  /**
   * The heartbeat that was sent at these times of both clocks is acknowledged.
   *
   * @param sessionMs after so long without another one the controller lets others lead
   */
  void grant(long sentMs, long sentWallMs, long sessionMs) {
    boolean wasHeld = isHeld(clock.monotonicMs());
    long leaseMs = BrokerControlSettings.leaseMs(sessionMs);
    if (sentMs >= grantedMs) {
      grantedMs = sentMs;
      endMs = sentMs + leaseMs;
      marginMs = isNeeded ? sessionMs - leaseMs : 0;
      wallAheadMs = sentWallMs - sentMs;
    }
    if (!wasHeld && isHeld(clock.monotonicMs())) {
      onGranted.forEach(Runnable::run);
    }
  }

  /** Nothing is served until the next grant. */
  void lose() {
    grantedMs = Long.MIN_VALUE;
    endMs = Long.MIN_VALUE;
  }
}
