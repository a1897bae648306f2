package dev.tidemark.broker.request;

import dev.tidemark.broker.Request;
import dev.tidemark.broker.RequestHandler;
import org.apache.kafka.common.message.ListPartitionReassignmentsResponseData;

/**
 * ListPartitionReassignments: the partitions that move to other brokers (KIP-455). There are none
 * while there is one node: nothing can begin to move.
 */
public final class ListPartitionReassignmentsHandler implements RequestHandler {
  @Override
  public void handle(Request request) {
    request.answer(new ListPartitionReassignmentsResponseData().setErrorMessage(null));
  }
}
