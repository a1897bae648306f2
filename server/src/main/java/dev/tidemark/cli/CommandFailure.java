package dev.tidemark.cli;

import org.jspecify.annotations.Nullable;

/** Why a command did not do what it was asked to: one line, with what to do about it. */
final class CommandFailure extends Exception {
  private static final long serialVersionUID = 1L;

  private final int exitCode;

  private CommandFailure(int exitCode, String message, @Nullable Throwable cause) {
    super(message, cause);
    this.exitCode = exitCode;
  }

  /** The command was understood and failed. */
  static CommandFailure failed(String message) {
    return new CommandFailure(ExitCodes.FAILURE, message, null);
  }

  /** The broker or a client refused; the cause says which error it was. */
  static CommandFailure failed(Throwable cause) {
    return new CommandFailure(ExitCodes.FAILURE, FailureText.of(cause), cause);
  }

  /** The command was not understood. */
  static CommandFailure usage(String message) {
    return new CommandFailure(ExitCodes.USAGE, message, null);
  }

  int exitCode() {
    return exitCode;
  }
}
