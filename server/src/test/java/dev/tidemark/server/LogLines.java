package dev.tidemark.server;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** The lines that our own classes log while this is open, without time and level. */
final class LogLines extends Handler implements AutoCloseable {
  private final Logger logger = Logger.getLogger("dev.tidemark");
  private final List<String> written = new CopyOnWriteArrayList<>();

  LogLines() {
    logger.setLevel(Level.INFO);
    logger.addHandler(this);
  }

  List<String> written() {
    return written;
  }

  /** Those that hold this text. */
  List<String> with(String text) {
    return written.stream().filter(line -> line.contains(text)).toList();
  }

  @Override
  public void publish(LogRecord line) {
    written.add(line.getMessage());
  }

  @Override
  public void flush() {}

  @Override
  public void close() {
    logger.removeHandler(this);
  }
}
