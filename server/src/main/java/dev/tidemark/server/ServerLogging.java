package dev.tidemark.server;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.logging.ConsoleHandler;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogManager;
import java.util.logging.Logger;

/**
 * Sets up the log: lines on standard error. The level is INFO, or what the system property {@code
 * tidemark.log.level} says: ERROR, WARN, INFO, DEBUG or TRACE.
 */
public final class ServerLogging {
  /** The system property with the level. */
  public static final String LEVEL_PROPERTY = "tidemark.log.level";

  /** Held because the JDK holds loggers weakly and their levels would be lost. */
  private static final List<Logger> HELD = new ArrayList<>();

  private ServerLogging() {}

  /** For a broker. */
  public static void server() {
    install(level(Level.INFO));
    // The clients' classes announce themselves and their settings; nobody needs that of a broker.
    limit("org.apache.kafka.common", Level.WARNING);
    limit("io.netty", Level.WARNING);
    // Two lines for each of the offsets topic's partitions at each start; we write one for all.
    limit("org.apache.kafka.coordinator.common.runtime", Level.WARNING);
  }

  /** For a development broker, whose standard output says what matters: warnings and worse. */
  public static void dev() {
    install(level(Level.WARNING));
  }

  /** For commands, which say themselves what failed. */
  public static void quiet() {
    install(level(Level.OFF));
  }

  private static void install(Level level) {
    System.setProperty("java.util.logging.manager", LastingLogManager.class.getName());
    LogManager manager = LogManager.getLogManager();
    manager.reset();
    Logger root = Logger.getLogger("");
    Handler handler = new ConsoleHandler();
    handler.setFormatter(new LogLineFormatter());
    handler.setLevel(Level.ALL);
    root.addHandler(handler);
    root.setLevel(level);
    HELD.add(root);
    if (manager instanceof LastingLogManager lasting) {
      lasting.installed = true;
    }
  }

  private static void limit(String name, Level level) {
    Logger logger = Logger.getLogger(name);
    logger.setLevel(level);
    HELD.add(logger);
  }

  private static Level level(Level usual) {
    String asked = System.getProperty(LEVEL_PROPERTY, "").toUpperCase(Locale.ROOT);
    return switch (asked) {
      case "ERROR" -> Level.SEVERE;
      case "WARN" -> Level.WARNING;
      case "INFO" -> Level.INFO;
      case "DEBUG" -> Level.FINE;
      case "TRACE" -> Level.FINEST;
      default -> usual;
    };
  }

  /** Keeps the log going while the process stops; the JDK's own closes it at the first sign. */
  public static final class LastingLogManager extends LogManager {
    private volatile boolean installed;

    /** Made by the JDK. */
    public LastingLogManager() {}

    @Override
    public void reset() {
      if (!installed) {
        super.reset();
      }
    }
  }
}
