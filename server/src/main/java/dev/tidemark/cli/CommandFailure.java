package dev.tidemark.cli;

import org.apache.kafka.common.errors.TimeoutException;
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

  /** The same with the error that it says more about. */
  static CommandFailure failed(String message, @Nullable Throwable cause) {
    return new CommandFailure(ExitCodes.FAILURE, message, cause);
  }

  /** The broker or a client refused; the cause says which error it was. */
  static CommandFailure failed(Throwable cause) {
    String text = FailureText.of(cause);
    return failed(
        cause instanceof TimeoutException
            ? "the broker did not answer in time (" + text + "); see its log"
            : text,
        cause);
  }

  /** The command was not understood. */
  static CommandFailure usage(String message) {
    return new CommandFailure(ExitCodes.USAGE, message, null);
  }

  int exitCode() {
    return exitCode;
  }
}
