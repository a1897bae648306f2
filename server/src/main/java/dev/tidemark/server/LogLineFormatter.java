package dev.tidemark.server;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.util.logging.Formatter;
import java.util.logging.Level;
import java.util.logging.LogRecord;

/** One line per message in Kafka's form: {@code [2026-01-31 12:00:00,123] INFO text (logger)}. */
final class LogLineFormatter extends Formatter {
  private final ZoneId zone = ZoneId.systemDefault();

  @Override
  public String format(LogRecord record) {
    StringBuilder line = new StringBuilder(160);
    line.append('[');
    appendTime(line, record.getInstant());
    line.append("] ").append(level(record.getLevel())).append(' ').append(formatMessage(record));
    line.append(" (").append(record.getLoggerName()).append(")\n");
    if (record.getThrown() != null) {
      StringWriter trace = new StringWriter();
      record.getThrown().printStackTrace(new PrintWriter(trace, true));
      line.append(trace);
    }
    return line.toString();
  }

  /** By hand: a DateTimeFormatter would cost start-up time. */
  private void appendTime(StringBuilder line, Instant instant) {
    LocalDateTime time = LocalDateTime.ofInstant(instant, zone);
    appendPadded(line, time.getYear(), 4).append('-');
    appendPadded(line, time.getMonthValue(), 2).append('-');
    appendPadded(line, time.getDayOfMonth(), 2).append(' ');
    appendPadded(line, time.getHour(), 2).append(':');
    appendPadded(line, time.getMinute(), 2).append(':');
    appendPadded(line, time.getSecond(), 2).append(',');
    appendPadded(line, time.getNano() / 1_000_000, 3);
  }

  private static StringBuilder appendPadded(StringBuilder line, int value, int digits) {
    String text = Integer.toString(value);
    for (int i = text.length(); i < digits; i++) {
      line.append('0');
    }
    return line.append(text);
  }

  private static String level(Level level) {
    int value = level.intValue();
    if (value >= Level.SEVERE.intValue()) {
      return "ERROR";
    }
    if (value >= Level.WARNING.intValue()) {
      return "WARN";
    }
    if (value >= Level.INFO.intValue()) {
      return "INFO";
    }
    return value >= Level.FINE.intValue() ? "DEBUG" : "TRACE";
  }
}
