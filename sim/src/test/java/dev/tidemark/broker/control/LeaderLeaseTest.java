package dev.tidemark.broker.control;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.env.Clock;
import org.junit.jupiter.api.Test;

/** When a broker may serve as a leader. */
class LeaderLeaseTest {
  private static final long SESSION_MS = 9_000;
  private static final long MARGIN_MS = 1_000;

  private long monotonicMs = 50;
  private long wallMs = 1_700_000_000_000L;
  private final LeaderLease lease = LeaderLease.needed(new BothClocks(), SESSION_MS);

  private final class BothClocks implements Clock {
    @Override
    public long wallMs() {
      return wallMs;
    }

    @Override
    public long monotonicNs() {
      return monotonicMs * 1_000_000;
    }
  }

  private void pass(long ms) {
    monotonicMs += ms;
    wallMs += ms;
  }

  private boolean isHeld() {
    return lease.isHeld(monotonicMs);
  }

  @Test
  void itCountsFromWhenTheHeartbeatWasSentAndEndsAMarginEarly() {
    assertThat(isHeld()).isFalse();
    long sentMs = monotonicMs;
    long sentWallMs = wallMs;
    pass(700);
    lease.grant(sentMs, sentWallMs, SESSION_MS);
    assertThat(isHeld()).isTrue();
    pass(SESSION_MS - MARGIN_MS - 700 - 1);
    assertThat(isHeld()).isTrue();
    pass(1);
    assertThat(isHeld()).isFalse();
  }

  @Test
  void anAnswerThatComesLateDoesNotShortenIt() {
    lease.grant(monotonicMs, wallMs, SESSION_MS);
    pass(100);
    lease.grant(monotonicMs - 90, wallMs - 90, SESSION_MS);
    pass(SESSION_MS - MARGIN_MS - 95);
    assertThat(isHeld()).isTrue();
  }

  @Test
  void theShorterSessionOfTheNextControllerCountsFromItsFirstAnswerOn() {
    lease.grant(monotonicMs, wallMs, SESSION_MS);
    pass(100);
    lease.grant(monotonicMs, wallMs, SESSION_MS / 10);
    assertThat(lease.marginMs()).isEqualTo(MARGIN_MS / 10);
    pass((SESSION_MS - MARGIN_MS) / 10 - 1);
    assertThat(isHeld()).isTrue();
    pass(1);
    assertThat(isHeld()).isFalse();
  }

  @Test
  void aMachineThatWasSuspendedHasNone() {
    long sentMs = monotonicMs;
    long sentWallMs = wallMs;
    lease.grant(sentMs, sentWallMs, SESSION_MS);
    wallMs += MARGIN_MS;
    assertThat(isHeld()).as("the monotonic clock stood still").isFalse();
    lease.grant(monotonicMs, wallMs, SESSION_MS);
    assertThat(isHeld()).as("granted anew").isTrue();
    wallMs += MARGIN_MS;
    lease.grant(monotonicMs, wallMs - MARGIN_MS, SESSION_MS);
    assertThat(isHeld()).as("the heartbeat was sent before").isFalse();
  }

  @Test
  void whenItIsLostOnlyAGrantBringsItBackAndThatIsTold() {
    int[] told = {0};
    lease.whenGranted(() -> told[0]++);
    lease.grant(monotonicMs, wallMs, SESSION_MS);
    pass(10);
    lease.grant(monotonicMs, wallMs, SESSION_MS);
    assertThat(told[0]).isEqualTo(1);
    lease.lose();
    assertThat(isHeld()).isFalse();
    pass(10);
    lease.grant(monotonicMs, wallMs, SESSION_MS);
    assertThat(isHeld()).isTrue();
    assertThat(told[0]).isEqualTo(2);
  }

  @Test
  void aNodeThatNeedsNoneAlwaysServes() {
    assertThat(LeaderLease.notNeeded(new BothClocks()).isHeld(monotonicMs)).isTrue();
  }
}
