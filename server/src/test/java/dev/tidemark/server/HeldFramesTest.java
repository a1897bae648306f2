package dev.tidemark.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.env.Clock;
import dev.tidemark.env.Timers;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** On a clock that stands still between looks. */
class HeldFramesTest {
  private static final int MIB = 1 << 20;

  private final Time time = new Time();
  private final HeldFrames held = new HeldFrames(time, time);
  private final Peer peer = new Peer();
  private boolean waits = true;

  private void look() {
    time.nowMs += HeldFrames.LOOK_EVERY_MS;
    Runnable due = time.due;
    time.due = null;
    if (due != null) {
      due.run();
    }
  }

  private void pressure() {
    held.add(peer);
    held.onPressure(() -> waits);
  }

  @Test
  void aFrameThatDoesNotGoOnEndsItsConnectionAtTheNextLook() {
    peer.unfinished = MIB;
    pressure();
    assertThat(peer.ended).as("it may have been idle before for its own reasons").isFalse();
    look();
    assertThat(peer.ended).isTrue();
  }

  @Test
  void aFrameMustComeAtAPaceAtWhichItIsWholeInThirtySeconds() {
    peer.unfinished = 30 * MIB;
    pressure();
    for (int i = 0; i < 100; i++) {
      peer.received += MIB / 2;
      look();
    }
    assertThat(peer.ended).isFalse();
    peer.received += MIB / 2 - 1;
    look();
    assertThat(peer.ended).isTrue();
  }

  @Test
  void aLookThatComesLateDoesNotAskForMore() {
    peer.unfinished = 30 * MIB;
    pressure();
    time.nowMs += 10_000;
    peer.received += MIB / 2;
    look();
    assertThat(peer.ended).isFalse();
  }

  @Test
  void aSmallFrameIsHurriedToo() {
    peer.unfinished = 20_000;
    pressure();
    peer.received += HeldFrames.SLOWEST_BYTES_PER_S / 2;
    look();
    assertThat(peer.ended).isFalse();
    peer.received += HeldFrames.SLOWEST_BYTES_PER_S / 2 - 1;
    look();
    assertThat(peer.ended).isTrue();
  }

  @Test
  void whoFinishedAFrameMeanwhileGetsOn() {
    peer.unfinished = MIB;
    pressure();
    peer.done++;
    look();
    assertThat(peer.ended).isFalse();
  }

  @Test
  void whatWaitsBehindOtherRequestsMustBeDoneWithInTime() {
    peer.waiting = true;
    pressure();
    int looks = HeldFrames.DONE_WITHIN_MS / HeldFrames.LOOK_EVERY_MS;
    for (int i = 1; i < looks; i++) {
      look();
    }
    peer.done++;
    for (int i = 0; i < looks; i++) {
      look();
    }
    assertThat(peer.ended).as("one was done with").isFalse();
    look();
    assertThat(peer.ended).isTrue();
  }

  @Test
  void nobodyIsHurriedOnceNobodyWaits() {
    peer.unfinished = MIB;
    pressure();
    waits = false;
    look();
    assertThat(time.due).as("no more looks").isNull();
    waits = true;
    held.onPressure(() -> waits);
    assertThat(peer.ended).as("another time of waiting begins with a first look").isFalse();
    look();
    assertThat(peer.ended).isTrue();
  }

  @Test
  void whoHoldsNothingIsForgotten() {
    pressure();
    assertThat(held.size()).isZero();
    assertThat(peer.isHolder).isFalse();
  }

  private static final class Time implements Clock, Timers {
    private long nowMs = 1000;
    private @Nullable Runnable due;

    @Override
    public long wallMs() {
      return nowMs;
    }

    @Override
    public long monotonicNs() {
      return nowMs * 1_000_000;
    }

    @Override
    public Timer schedule(long delayMs, Runnable task) {
      due = task;
      return () -> due = null;
    }
  }

  private static final class Peer implements HeldFrames.Holder {
    private int unfinished;
    private boolean waiting;
    private long received;
    private long done;
    private boolean isHolder = true;
    private boolean ended;

    @Override
    public boolean holdsFrames() {
      return waiting || unfinished > 0;
    }

    @Override
    public boolean isReceivingFrame() {
      return unfinished > 0;
    }

    @Override
    public int unfinishedFrameBytes() {
      return unfinished;
    }

    @Override
    public long receivedBytes() {
      return received;
    }

    @Override
    public long doneFrames() {
      return done;
    }

    @Override
    public void letGoOfHolders() {
      isHolder = false;
    }

    @Override
    public void endForHoldingMemory() {
      ended = true;
    }
  }
}
