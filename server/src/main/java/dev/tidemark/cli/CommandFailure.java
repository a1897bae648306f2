package dev.tidemark.cli;

/** Why a command did not do what it was asked to: one line, with what to do about it. */
final class CommandFailure extends Exception {
  private static final long serialVersionUID = 1L;

  private final int exitCode;

  private CommandFailure(int exitCode, String message) {
    super(message);
    this.exitCode = exitCode;
  }

  /** The command was understood and failed. */
  static CommandFailure failed(String message) {
    return new CommandFailure(ExitCodes.FAILURE, message);
  }

  /** The command was not understood. */
  static CommandFailure usage(String message) {
    return new CommandFailure(ExitCodes.USAGE, message);
  }

  int exitCode() {
    return exitCode;
  }
}
