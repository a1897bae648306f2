package dev.tidemark.cli;

import dev.tidemark.replica.LostTailEntry;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Which lost tail: {@code 1:orders-0:4-7} is the one that broker 1 lists for partition 0 of orders,
 * from offset 4 on, against leader epoch 7.
 */
record LostTailId(int broker, String topic, int partition, String name) {
  private static final Pattern FORM =
      Pattern.compile("(\\d{1,9}):([A-Za-z0-9._-]+)-(\\d{1,9}):(\\d{1,18}-\\d{1,9})");

  static LostTailId of(int broker, LostTailEntry entry) {
    return new LostTailId(broker, entry.topic(), entry.partition(), entry.name());
  }

  static LostTailId parse(String text) throws CommandFailure {
    Matcher form = FORM.matcher(text);
    if (!form.matches()) {
      throw CommandFailure.usage(
          "'"
              + text
              + "' is no lost tail; 'tidemark lost-tail list' shows them, e.g. 1:orders-0:4-7");
    }
    return new LostTailId(
        Integer.parseInt(form.group(1)),
        form.group(2),
        Integer.parseInt(form.group(3)),
        form.group(4));
  }

  boolean names(LostTailEntry entry) {
    return entry.topic().equals(topic)
        && entry.partition() == partition
        && entry.name().equals(name);
  }

  @Override
  public String toString() {
    return broker + ":" + topic + "-" + partition + ":" + name;
  }
}
