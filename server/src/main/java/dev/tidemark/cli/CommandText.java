package dev.tidemark.cli;

/** How the user calls us, for the commands that we suggest. */
final class CommandText {
  private static final String COMMAND = System.getProperty("tidemark.command", "bin/tidemark");

  private CommandText() {}

  /** The script as it was called, quoted where a shell needs it. */
  static String self() {
    return COMMAND.matches("[A-Za-z0-9_./-]+")
        ? COMMAND
        : "'" + COMMAND.replace("'", "'\\''") + "'";
  }
}
