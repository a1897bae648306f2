package dev.tidemark.broker.request;

import dev.tidemark.broker.Request;
import dev.tidemark.broker.RequestHandler;
import dev.tidemark.metadata.ControllerCalls;
import dev.tidemark.metadata.Reply;
import org.apache.kafka.common.message.AllocateProducerIdsRequestData;
import org.apache.kafka.common.message.AllocateProducerIdsResponseData;
import org.apache.kafka.server.common.ProducerIdsBlock;

/** AllocateProducerIds: a broker gets producer ids that no other hands out (KIP-730). */
public final class AllocateProducerIdsHandler implements RequestHandler {
  private final ControllerCalls controller;

  public AllocateProducerIdsHandler(ControllerCalls controller) {
    this.controller = controller;
  }

  @Override
  public void handle(Request request) {
    AllocateProducerIdsRequestData data = request.data(AllocateProducerIdsRequestData.class);
    controller.<ProducerIdsBlock>call(
        (decider, reply) -> decider.allocateProducerIds(data.brokerId(), data.brokerEpoch(), reply),
        new Reply<>() {
          @Override
          public void succeed(ProducerIdsBlock block) {
            request.answer(
                new AllocateProducerIdsResponseData()
                    .setProducerIdStart(block.firstProducerId())
                    .setProducerIdLen(block.size()));
          }

          @Override
          public void fail(Throwable cause) {
            request.fail(cause);
          }
        });
  }
}
