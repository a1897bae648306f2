package dev.tidemark.cli;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What {@code dev} was asked for.
 *
 * @param port where to listen; 0 takes any free port
 * @param dataDir the data folder; null for the usual one, or a temporary one if {@code ephemeral}
 * @param ephemeral the data are deleted at the end
 * @param brokers how many brokers, at ports from {@code port} on
 * @param voters how many of them vote as controllers; null: as many as the folder says, or one
 */
record DevOptions(
    int port, @Nullable String dataDir, boolean ephemeral, int brokers, @Nullable Integer voters) {
  static final int DEFAULT_PORT = 9092;

  /** Null when there is anything but these options in their plain form. */
  static @Nullable DevOptions parsePlain(List<String> args) {
    int port = DEFAULT_PORT;
    String dataDir = null;
    boolean ephemeral = false;
    int brokers = DevCluster.DEFAULT_BROKERS;
    for (int i = 0; i < args.size(); i++) {
      String option = args.get(i);
      String value = i + 1 < args.size() ? args.get(i + 1) : null;
      if (option.equals("--ephemeral")) {
        ephemeral = true;
      } else if (option.equals("--port") && value != null && value.matches("[0-9]{1,5}")) {
        port = Integer.parseInt(value);
        i++;
      } else if (option.equals("--data-dir") && value != null && !value.startsWith("-")) {
        dataDir = value;
        i++;
      } else if (option.equals("--brokers") && value != null && value.matches("[0-9]{1,3}")) {
        brokers = Integer.parseInt(value);
        i++;
      } else {
        return null;
      }
    }
    return new DevOptions(port, dataDir, ephemeral, brokers, null);
  }
}
