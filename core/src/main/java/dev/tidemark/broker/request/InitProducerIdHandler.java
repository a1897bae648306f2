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
  private static final int NONE = -1;

  private final ProducerIds producerIds;

  public InitProducerIdHandler(ProducerIds producerIds) {
    this.producerIds = producerIds;
  }

  @Override
  public void handle(Request request) {
    InitProducerIdRequestData data = request.data(InitProducerIdRequestData.class);
    if (isIncomplete(data)) {
      request.answer(refused(Errors.INVALID_REQUEST));
      return;
    }
    if (data.transactionalId() != null) {
      // The answer has no room for words; FindCoordinator, which comes first, says why.
      request.answer(refused(Errors.UNSUPPORTED_VERSION));
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

  /** An id without an epoch, or the other way round, is none; nor is an empty transactional id. */
  private static boolean isIncomplete(InitProducerIdRequestData data) {
    boolean hasId = data.producerId() != NONE;
    boolean hasEpoch = data.producerEpoch() != NONE;
    return hasId != hasEpoch
        || (data.transactionalId() != null && data.transactionalId().isEmpty());
  }

  private static InitProducerIdResponseData refused(Errors error) {
    return new InitProducerIdResponseData()
        .setErrorCode(error.code())
        .setProducerId(NONE)
        .setProducerEpoch((short) NONE);
  }
}
