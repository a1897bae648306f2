package dev.tidemark.metadata;

import org.apache.kafka.common.protocol.Errors;

/** One item of a request that was refused; ends the decision about this item only. */
final class Refusal extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final Errors error;

  Refusal(Errors error, String message) {
    super(message, null, false, false);
    this.error = error;
  }

  Errors error() {
    return error;
  }

  String message() {
    return String.valueOf(getMessage());
  }

  /** The same for callers outside: Kafka's exception for the error. */
  RuntimeException toApiException() {
    return error.exception(message());
  }
}
