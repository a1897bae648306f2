package dev.tidemark.broker;

import dev.tidemark.env.Clock;
import dev.tidemark.env.Timers;
import java.util.EnumMap;
import java.util.Map;
import java.util.function.ObjIntConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps a flood of one mistake of clients from flooding the log: so many lines of a kind in a while
 * are written, of the others only how many there were. Used on one shard.
 */
public final class ClientMistakes {
  private static final Logger LOG = LoggerFactory.getLogger(ClientMistakes.class);

  /** Lines of a kind in a window. */
  public static final int MAX_LINES = 10;

  public static final long WINDOW_MS = 10_000;

  /** What goes wrong; each is counted for itself. */
  public enum Kind {
    BAD_REQUEST("closed connections after requests that cannot be read or answered"),
    REQUEST_SIZE("closed connections after requests of a size that is not allowed"),
    CONNECTION_REFUSED("refused connections"),
    MEMORY_HELD("closed connections that held the memory of requests"),
    ANSWERS_NOT_READ("closed connections that did not read their answers"),
    FAILED_REQUEST("requests that failed"),
    TOPIC_NOT_CREATED("topics that were not created on first use");

    private final String text;

    Kind(String text) {
      this.text = text;
    }
  }

  private final Clock clock;
  private final Timers timers;
  private final ObjIntConsumer<Kind> onLeftOut;
  private final Map<Kind, Window> windows = new EnumMap<>(Kind.class);

  public ClientMistakes(Clock clock, Timers timers) {
    this(clock, timers, ClientMistakes::tell);
  }

  ClientMistakes(Clock clock, Timers timers, ObjIntConsumer<Kind> onLeftOut) {
    this.onLeftOut = onLeftOut;
    this.clock = clock;
    this.timers = timers;
    for (Kind kind : Kind.values()) {
      windows.put(kind, new Window(kind));
    }
  }

  /** True if the caller is to write its line; else it is counted. */
  @SuppressWarnings("NullAway") // every kind has its window
  public boolean mayTell(Kind kind) {
    return windows.get(kind).mayTell();
  }

  private static void tell(Kind kind, int leftOut) {
    LOG.warn(
        "{} more {} within {} s; their lines are left out.", leftOut, kind.text, WINDOW_MS / 1000);
  }

  private final class Window {
    private final Kind kind;
    private long beganMs;
    private int lines;
    private int leftOut;

    Window(Kind kind) {
      this.kind = kind;
    }

    boolean mayTell() {
      long nowMs = clock.monotonicMs();
      if (lines == 0 || nowMs - beganMs >= WINDOW_MS) {
        tellLeftOut();
        beganMs = nowMs;
        lines = 0;
      }
      if (lines < MAX_LINES) {
        lines++;
        return true;
      }
      if (leftOut++ == 0) {
        timers.schedule(beganMs + WINDOW_MS - nowMs, this::tellLeftOut);
      }
      return false;
    }

    private void tellLeftOut() {
      if (leftOut > 0) {
        onLeftOut.accept(kind, leftOut);
        leftOut = 0;
      }
    }
  }
}
