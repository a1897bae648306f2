package dev.tidemark.broker;

import dev.tidemark.env.LogLevels;
import java.util.Map;
import java.util.TreeMap;

/** Three loggers and their levels. */
public final class FakeLogLevels implements LogLevels {
  private final Map<String, String> levels =
      new TreeMap<>(
          Map.of(ROOT, "INFO", "dev.tidemark.log", "INFO", "dev.tidemark.broker", "INFO"));

  @Override
  public Map<String, String> levels() {
    return levels;
  }

  @Override
  public void set(String logger, String level) {
    levels.put(logger, level);
  }

  @Override
  public void unset(String logger) {
    levels.put(logger, "INFO");
  }
}
