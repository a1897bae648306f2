package dev.tidemark.env;

import java.util.Map;

/**
 * The levels of this process's loggers, which can be changed while it runs. Levels are Kafka's:
 * OFF, FATAL, ERROR, WARN, INFO, DEBUG, TRACE. Callable from any thread.
 */
public interface LogLevels {
  /** The logger whose level holds where no other is set. */
  String ROOT = "root";

  /** All loggers there are now by name, with the levels that hold for them; sorted. */
  Map<String, String> levels();

  /** Sets the level of a logger that {@link #levels} tells. */
  void set(String logger, String level);

  /** Takes the level of a logger away, so that that of the one above it holds. */
  void unset(String logger);

  /** For a process without loggers. */
  static LogLevels none() {
    return new LogLevels() {
      @Override
      public Map<String, String> levels() {
        return Map.of();
      }

      @Override
      public void set(String logger, String level) {
        throw new IllegalArgumentException("There is no logger " + logger);
      }

      @Override
      public void unset(String logger) {
        throw new IllegalArgumentException("There is no logger " + logger);
      }
    };
  }
}
