package dev.tidemark.broker.request;

import dev.tidemark.broker.Request;
import dev.tidemark.broker.RequestHandler;
import dev.tidemark.metadata.ControllerCalls;
import org.apache.kafka.common.message.AlterPartitionRequestData;
import org.apache.kafka.common.message.AlterPartitionResponseData;

/** AlterPartition: a leader changes the ISR of its partitions (KIP-497). */
public final class AlterPartitionHandler implements RequestHandler {
  private final ControllerCalls controller;

  public AlterPartitionHandler(ControllerCalls controller) {
    this.controller = controller;
  }

  @Override
  public void handle(Request request) {
    AlterPartitionRequestData data = request.data(AlterPartitionRequestData.class);
    controller.call(
        (decider, reply) -> decider.alterPartition(data, reply),
        new ControllerAnswer<AlterPartitionResponseData>(request));
  }
}
