package dev.tidemark.broker.request;

import dev.tidemark.broker.Request;
import dev.tidemark.broker.RequestHandler;
import dev.tidemark.metadata.ControllerCalls;
import org.apache.kafka.common.message.AlterPartitionReassignmentsRequestData;
import org.apache.kafka.common.message.AlterPartitionReassignmentsResponseData;

/** AlterPartitionReassignments: moves partitions to other brokers (KIP-455). */
public final class AlterPartitionReassignmentsHandler implements RequestHandler {
  private final ControllerCalls controller;

  public AlterPartitionReassignmentsHandler(ControllerCalls controller) {
    this.controller = controller;
  }

  @Override
  public void handle(Request request) {
    AlterPartitionReassignmentsRequestData data =
        request.data(AlterPartitionReassignmentsRequestData.class);
    controller.call(
        (decider, reply) -> decider.alterPartitionReassignments(data, reply),
        new ControllerAnswer<AlterPartitionReassignmentsResponseData>(request));
  }
}
