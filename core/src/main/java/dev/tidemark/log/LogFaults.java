package dev.tidemark.log;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells of what clients ask of one log and fails. They try again many times a second, so a fault is
 * told once, and again after a while with how many requests have failed meanwhile. A log that is
 * opened again begins anew. Owned by the log's shard.
 */
public final class LogFaults {
  /** So long nothing is told a second time. */
  public static final long QUIET_MS = 600_000;

  /** Different faults that are told within that time. */
  public static final int MAX_FAULTS = 4;

  private static final Logger LOG = LoggerFactory.getLogger(LogFaults.class);

  private final LogState state;
  private final List<String> told = new ArrayList<>(1);
  private long beganMs;
  private int leftOut;

  LogFaults(LogState state) {
    this.state = state;
  }

  /**
   * Something failed that will be asked for again.
   *
   * @param what it was, as in "Read at 7"
   */
  public void tell(String what, IOException why) {
    String line = lineOf(what, why);
    if (line != null) {
      LOG.warn(line);
    }
  }

  /** Null when it was told lately. */
  @Nullable String lineOf(String what, IOException why) {
    long nowMs = state.clock.monotonicMs();
    String fault = String.valueOf(why.getMessage());
    String more = "";
    if (!told.isEmpty() && nowMs - beganMs >= QUIET_MS) {
      more = leftOut == 0 ? "" : "; so did %d more since this was told last".formatted(leftOut);
      told.clear();
      leftOut = 0;
    }
    if (told.contains(fault) || told.size() >= MAX_FAULTS) {
      leftOut++;
      return null;
    }
    if (told.isEmpty()) {
      beganMs = nowMs;
    }
    told.add(fault);
    return "%s of %s failed: %s%s; if it goes on, it is told again in %d minutes"
        .formatted(what, state.id, fault, more, QUIET_MS / 60_000);
  }
}
