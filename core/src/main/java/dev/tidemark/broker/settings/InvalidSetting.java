package dev.tidemark.broker.settings;

/**
 * A value in server.properties that the broker cannot start with. The message is one line that
 * names the key, the value and what would be accepted.
 */
public final class InvalidSetting extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public InvalidSetting(String message) {
    super(message);
  }

  /** The usual message of a single value. */
  static InvalidSetting of(String key, String value, String expected) {
    return new InvalidSetting("Invalid value '" + value + "' for " + key + ": " + expected + ".");
  }
}
