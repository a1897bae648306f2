package dev.tidemark.broker.request;

import dev.tidemark.broker.Request;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Function;
import org.apache.kafka.common.protocol.ApiMessage;

/** Answers requests with what the group coordinator's futures bring, on the data shard. */
final class GroupAnswer {
  private GroupAnswer() {}

  /** Answers once {@code future} is done; {@code response} makes the answer of its result. */
  static <T> void whenDone(
      Request request, CompletableFuture<T> future, Function<T, ApiMessage> response) {
    // The future of this is not needed: a failure of the answer itself is the connection's matter.
    var unused =
        future.whenComplete(
            (result, failure) -> {
              if (failure != null) {
                request.fail(cause(failure));
              } else {
                request.goOn(() -> request.answer(response.apply(result)));
              }
            });
  }

  static <T extends ApiMessage> void whenDone(Request request, CompletableFuture<T> future) {
    whenDone(request, future, result -> result);
  }

  /** What a future failed with. */
  static Throwable cause(Throwable failure) {
    Throwable cause = failure.getCause();
    return failure instanceof CompletionException && cause != null ? cause : failure;
  }
}
