package dev.tidemark.broker.request;

import dev.tidemark.broker.Request;
import dev.tidemark.metadata.Reply;
import org.apache.kafka.common.protocol.ApiMessage;

/** Answers a request with what the controller replied. */
record ControllerAnswer<T extends ApiMessage>(Request request) implements Reply<T> {
  @Override
  public void succeed(T result) {
    request.answer(result);
  }

  @Override
  public void fail(Throwable cause) {
    request.fail(cause);
  }
}
