package dev.tidemark.broker.request;

import dev.tidemark.broker.Request;
import dev.tidemark.broker.RequestHandler;
import dev.tidemark.metadata.Reply;
import dev.tidemark.transaction.ProducerIds;
import org.apache.kafka.common.message.InitProducerIdRequestData;
import org.apache.kafka.common.message.InitProducerIdResponseData;
import org.apache.kafka.common.protocol.Errors;

/** InitProducerId for idempotent producers (KIP-98). Transactions are refused. */
public final class InitProducerIdHandler implements RequestHandler {
  private final ProducerIds producerIds;

  public InitProducerIdHandler(ProducerIds producerIds) {
    this.producerIds = producerIds;
  }

  @Override
  public void handle(Request request) {
    if (request.data(InitProducerIdRequestData.class).transactionalId() != null) {
      // The answer has no room for words; FindCoordinator, which comes first, says why.
      request.answer(
          new InitProducerIdResponseData()
              .setErrorCode(Errors.UNSUPPORTED_VERSION.code())
              .setProducerId(-1)
              .setProducerEpoch((short) -1));
      return;
    }
    producerIds.next(
        new Reply<>() {
          @Override
          public void succeed(Long producerId) {
            request.answer(
                new InitProducerIdResponseData()
                    .setProducerId(producerId)
                    .setProducerEpoch((short) 0));
          }

          @Override
          public void fail(Throwable cause) {
            request.fail(cause);
          }
        });
  }
}
