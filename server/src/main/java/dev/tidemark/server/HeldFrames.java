package dev.tidemark.server;

import dev.tidemark.env.Clock;
import dev.tidemark.env.Timers;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.BooleanSupplier;

/**
 * The connections whose frames stay in memory beyond the event that began them: they are not
 * finished, or wait behind other requests. As long as others wait for memory, it looks at them
 * every half second and ends those that keep it for nothing:
 *
 * <ul>
 *   <li>a frame must arrive at a pace at which it is whole in {@link #WHOLE_WITHIN_S} seconds, and
 *       no slower than {@link #SLOWEST_BYTES_PER_S};
 *   <li>of frames that wait, one must be done with in {@link #DONE_WITHIN_MS}.
 * </ul>
 *
 * While nobody waits nobody is hurried. Used on the shard only.
 */
final class HeldFrames {
  static final int LOOK_EVERY_MS = 500;
  static final int WHOLE_WITHIN_S = 30;
  static final int SLOWEST_BYTES_PER_S = 16 << 10;
  static final int DONE_WITHIN_MS = 30_000;

  private final Clock clock;
  private final Timers timers;
  private final Map<Holder, Marks> holders = new LinkedHashMap<>();
  private long pressure; // which time of waiting this is
  private boolean looks;

  HeldFrames(Clock clock, Timers timers) {
    this.clock = clock;
    this.timers = timers;
  }

  /** A connection, as far as its frames are concerned. */
  interface Holder {
    /** True while frames of this connection are in memory, whole or in part. */
    boolean holdsFrames();

    /** True while it is the peer's turn to send more of a frame, or to read what it was sent. */
    boolean isReceivingFrame();

    /** The announced size of the frame of which a part is still to come; 0 when there is none. */
    int unfinishedFrameBytes();

    /** All bytes received so far. */
    long receivedBytes();

    /** Frames that came whole and are done with. */
    long doneFrames();

    /** It is not among the holders any more, for it holds nothing. */
    void letGoOfHolders();

    /** The connection is to end, which gives back its memory. */
    void endForHoldingMemory();
  }

  void add(Holder connection) {
    holders.putIfAbsent(connection, new Marks());
  }

  void forget(Holder connection) {
    holders.remove(connection);
  }

  int size() {
    return holders.size();
  }

  /** Somebody waits for memory; {@code waits} tells whether that is still so. */
  void onPressure(BooleanSupplier waits) {
    if (!looks) {
      looks = true;
      pressure++;
      look();
      lookAgain(waits);
    }
  }

  private void lookAgain(BooleanSupplier waits) {
    timers.schedule(
        LOOK_EVERY_MS,
        () -> {
          looks = waits.getAsBoolean();
          if (looks) {
            look();
            lookAgain(waits);
          }
        });
  }

  private void look() {
    long nowMs = clock.monotonicMs();
    for (Map.Entry<Holder, Marks> held : new ArrayList<>(holders.entrySet())) {
      Holder connection = held.getKey();
      if (!connection.holdsFrames()) {
        connection.letGoOfHolders();
        holders.remove(connection);
      } else if (held.getValue().isStuck(connection, nowMs, pressure)) {
        connection.endForHoldingMemory();
      }
    }
  }

  /** What a connection had got done when it was looked at. */
  private static final class Marks {
    private long pressure;
    private long lookedMs;
    private long receivedBytes;
    private long doneFrames;
    private long doneMs;

    boolean isStuck(Holder connection, long nowMs, long currentPressure) {
      boolean isFirstLook = pressure != currentPressure;
      boolean stuck = !isFirstLook && isBehind(connection, nowMs);
      if (isFirstLook || connection.doneFrames() != doneFrames) {
        doneMs = nowMs;
      }
      pressure = currentPressure;
      lookedMs = nowMs;
      receivedBytes = connection.receivedBytes();
      doneFrames = connection.doneFrames();
      return stuck;
    }

    private boolean isBehind(Holder connection, long nowMs) {
      if (connection.doneFrames() != doneFrames) {
        return false;
      }
      if (connection.isReceivingFrame()) {
        long bytesPerS =
            Math.max(SLOWEST_BYTES_PER_S, connection.unfinishedFrameBytes() / WHOLE_WITHIN_S);
        // A look that comes late was held up on this side, and the peer with it.
        long elapsedMs = Math.min(nowMs - lookedMs, LOOK_EVERY_MS);
        return connection.receivedBytes() - receivedBytes < bytesPerS * elapsedMs / 1000;
      }
      return nowMs - doneMs >= DONE_WITHIN_MS;
    }
  }
}
