package dev.tidemark.server;

import dev.tidemark.env.LogLevels;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.logging.Level;
import java.util.logging.LogManager;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/** The loggers of java.util.logging, under Kafka's names of levels. */
final class JdkLogLevels implements LogLevels {
  private static final String JDK_ROOT = "";

  private final LogManager manager = LogManager.getLogManager();

  /** Held because the JDK holds loggers weakly and the levels that were set would be lost. */
  private final Map<String, Logger> held = new HashMap<>();

  @Override
  public synchronized Map<String, String> levels() {
    Map<String, String> levels = new TreeMap<>();
    for (String name : Collections.list(manager.getLoggerNames())) {
      Logger logger = manager.getLogger(name);
      if (logger != null && !name.equals(Logger.GLOBAL_LOGGER_NAME)) {
        levels.put(name.equals(JDK_ROOT) ? ROOT : name, nameOf(effective(logger)));
      }
    }
    return levels;
  }

  @Override
  public synchronized void set(String name, String level) {
    find(name).setLevel(levelOf(level));
  }

  @Override
  public synchronized void unset(String name) {
    find(name).setLevel(null);
  }

  private Logger find(String name) {
    Logger logger = manager.getLogger(name.equals(ROOT) ? JDK_ROOT : name);
    if (logger == null) {
      throw new IllegalArgumentException("There is no logger " + name);
    }
    held.put(name, logger);
    return logger;
  }

  private static Level effective(Logger logger) {
    @Nullable Logger at = logger;
    while (at != null) {
      Level level = at.getLevel();
      if (level != null) {
        return level;
      }
      at = at.getParent();
    }
    return Level.INFO;
  }

  private static Level levelOf(String name) {
    return switch (name) {
      case "OFF" -> Level.OFF;
      case "FATAL", "ERROR" -> Level.SEVERE;
      case "WARN" -> Level.WARNING;
      case "INFO" -> Level.INFO;
      case "DEBUG" -> Level.FINE;
      case "TRACE" -> Level.FINEST;
      default -> throw new IllegalArgumentException("There is no level " + name);
    };
  }

  private static String nameOf(Level level) {
    int value = level.intValue();
    if (value == Level.OFF.intValue()) {
      return "OFF";
    } else if (value >= Level.SEVERE.intValue()) {
      return "ERROR";
    } else if (value >= Level.WARNING.intValue()) {
      return "WARN";
    } else if (value >= Level.INFO.intValue()) {
      return "INFO";
    }
    return value >= Level.FINE.intValue() ? "DEBUG" : "TRACE";
  }
}
