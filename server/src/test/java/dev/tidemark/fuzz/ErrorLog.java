package dev.tidemark.fuzz;

import java.util.ArrayList;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** Keeps what is logged as an error: a client's mistake must never be one. */
final class ErrorLog extends Handler implements AutoCloseable {
  private final Logger logger = Logger.getLogger("dev.tidemark");
  private final List<String> errors = new ArrayList<>();
  private final List<String> traces = new ArrayList<>();
  private int closings;

  ErrorLog() {
    logger.setLevel(Level.INFO);
    logger.setUseParentHandlers(false);
    logger.addHandler(this);
  }

  /** The first few. */
  synchronized List<String> errors() {
    return List.copyOf(errors.subList(0, Math.min(5, errors.size())));
  }

  /** The first few lines that came with a stack trace. */
  synchronized List<String> traces() {
    return List.copyOf(traces.subList(0, Math.min(5, traces.size())));
  }

  /** Lines about connections that were closed. */
  synchronized int closings() {
    return closings;
  }

  @Override
  public synchronized void publish(LogRecord record) {
    if (record.getLevel().intValue() >= Level.SEVERE.intValue()) {
      errors.add(record.getMessage() + ": " + record.getThrown());
    }
    if (record.getThrown() != null) {
      traces.add(record.getMessage() + ": " + record.getThrown());
    }
    if (record.getMessage().startsWith("Closing connection")) {
      closings++;
    }
  }

  @Override
  public void flush() {}

  @Override
  public void close() {
    logger.removeHandler(this);
    logger.setUseParentHandlers(true);
  }
}
