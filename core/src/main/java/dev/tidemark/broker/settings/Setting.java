package dev.tidemark.broker.settings;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * One key with its type, default and range. Kafka's own definitions carry some 300 keys with their
 * documentation; building them costs more than the rest of the start, so the keys that have an
 * effect are defined here again, and a test compares each with Kafka's.
 *
 * @param name Kafka's name, or one that starts with {@code tidemark.}
 * @param defaultValue what holds when the key is absent; null = nothing
 * @param parser makes a value of a text or throws {@link IllegalArgumentException}
 * @param expected what is accepted, as the end of the sentence "Invalid value …: "
 */
public record Setting<T>(String name, @Nullable T defaultValue, Parser<T> parser, String expected) {

  /** Text to value. */
  @FunctionalInterface
  interface Parser<T> {
    /** Throws {@link IllegalArgumentException} for a text that is not accepted. */
    T parse(String text);
  }

  /** The value of {@code text}; throws {@link InvalidSetting}. */
  public T parse(String text) {
    try {
      return parser.parse(text.trim());
    } catch (IllegalArgumentException e) {
      throw InvalidSetting.of(name, text, expected);
    }
  }

  static Setting<Integer> ofInt(String name, @Nullable Integer defaultValue, int min, int max) {
    return new Setting<>(
        name,
        defaultValue,
        text -> {
          int value = Integer.parseInt(text);
          if (value < min || value > max) {
            throw new IllegalArgumentException();
          }
          return value;
        },
        "must be a whole number " + range(min, max, Integer.MIN_VALUE, Integer.MAX_VALUE));
  }

  static Setting<Integer> ofInt(String name, int defaultValue, int min) {
    return ofInt(name, defaultValue, min, Integer.MAX_VALUE);
  }

  static Setting<Long> ofLong(String name, @Nullable Long defaultValue, long min) {
    return new Setting<>(
        name,
        defaultValue,
        text -> {
          long value = Long.parseLong(text);
          if (value < min) {
            throw new IllegalArgumentException();
          }
          return value;
        },
        "must be a whole number " + range(min, Long.MAX_VALUE, Long.MIN_VALUE, Long.MAX_VALUE));
  }

  static Setting<Double> ofDouble(String name, double defaultValue, double min, double max) {
    return new Setting<>(
        name,
        defaultValue,
        text -> {
          double value = Double.parseDouble(text);
          if (!(value >= min && value <= max)) {
            throw new IllegalArgumentException();
          }
          return value;
        },
        max == Double.MAX_VALUE
            ? "must be a number of at least " + min
            : "must be a number from " + min + " to " + max);
  }

  static Setting<Boolean> ofBoolean(String name, boolean defaultValue) {
    return new Setting<>(
        name,
        defaultValue,
        text ->
            switch (text.toLowerCase(Locale.ROOT)) {
              case "true" -> true;
              case "false" -> false;
              default -> throw new IllegalArgumentException();
            },
        "must be true or false");
  }

  static Setting<String> ofText(String name, @Nullable String defaultValue) {
    return new Setting<>(name, defaultValue, text -> text, "must be a text");
  }

  static Setting<HostPort> ofHostPort(String name) {
    return new Setting<>(
        name,
        null,
        HostPort::parse,
        "must be HOST:PORT with a port from 0 to 65535 (HOST may be empty)");
  }

  static Setting<String> ofChoice(String name, @Nullable String defaultValue, String... allowed) {
    List<String> choices = List.of(allowed);
    return new Setting<>(
        name,
        defaultValue,
        text -> {
          if (!choices.contains(text)) {
            throw new IllegalArgumentException();
          }
          return text;
        },
        "must be one of " + String.join(", ", choices));
  }

  /** Comma-separated; when {@code allowed} is not empty, each element must be one of it. */
  static Setting<List<String>> ofList(
      String name, @Nullable List<String> defaultValue, String... allowed) {
    List<String> choices = List.of(allowed);
    return new Setting<>(
        name,
        defaultValue,
        text -> {
          List<String> elements = new ArrayList<>();
          for (String element : text.split(",", -1)) {
            String trimmed = element.trim();
            if (!trimmed.isEmpty()) {
              elements.add(trimmed);
            }
          }
          if (!choices.isEmpty() && !choices.containsAll(elements)) {
            throw new IllegalArgumentException();
          }
          return List.copyOf(elements);
        },
        choices.isEmpty()
            ? "must be a list separated by commas"
            : "must be a list, separated by commas, of " + String.join(", ", choices));
  }

  /** Comma-separated addresses with a host each. */
  static Setting<List<String>> ofAddresses(String name) {
    Setting<List<String>> list = ofList(name, List.of());
    return new Setting<>(
        name,
        List.of(),
        text -> {
          List<String> addresses = list.parse(text);
          for (String address : addresses) {
            HostPort parsed = HostPort.parse(address);
            if (parsed.host().isEmpty() || parsed.port() == 0) {
              throw new IllegalArgumentException();
            }
          }
          return addresses;
        },
        "must be addresses HOST:PORT, separated by commas");
  }

  /** Comma-separated pairs of an address and a whole number of at least 0. */
  static Setting<List<String>> ofAddressCounts(String name) {
    Setting<List<String>> list = ofList(name, List.of());
    return new Setting<>(
        name,
        List.of(),
        text -> {
          List<String> pairs = list.parse(text);
          for (String pair : pairs) {
            int colon = pair.lastIndexOf(':');
            if (colon < 1 || Integer.parseInt(pair.substring(colon + 1)) < 0) {
              throw new IllegalArgumentException();
            }
          }
          return pairs;
        },
        "must be pairs address:number, separated by commas");
  }

  private static String range(long min, long max, long lowest, long highest) {
    if (min == lowest && max == highest) {
      return "of " + (highest == Integer.MAX_VALUE ? "32" : "64") + " bits";
    }
    return max == highest ? "of at least " + min : "from " + min + " to " + max;
  }
}
