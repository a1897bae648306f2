package dev.tidemark.broker;

import dev.tidemark.env.ConnectionBounds;
import dev.tidemark.env.LogLevels;

/**
 * What a broker changes in the process around it when its configs change.
 *
 * @param logLevels the levels of the loggers
 * @param connectionBounds how many connections are accepted
 */
public record NodeControls(LogLevels logLevels, ConnectionBounds connectionBounds) {
  /** For a broker that has no process of its own. */
  public static NodeControls none() {
    return new NodeControls(LogLevels.none(), ConnectionBounds.none());
  }
}
