package dev.tidemark.cli;

import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;

/** Says in one line why something failed. */
final class FailureText {
  private FailureText() {}

  /** The message of what lies below wrappers, on one line; the class where there is no message. */
  static String of(Throwable failure) {
    Throwable cause = failure;
    while ((cause instanceof ExecutionException || cause instanceof CompletionException)
        && cause.getCause() != null) {
      cause = cause.getCause();
    }
    String message = cause.getMessage();
    if (message == null || message.isBlank()) {
      return cause.getClass().getSimpleName();
    }
    return message.strip().replaceAll("\\s*\\R\\s*", " ");
  }
}
