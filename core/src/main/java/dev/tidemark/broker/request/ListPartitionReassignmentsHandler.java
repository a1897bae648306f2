package dev.tidemark.broker.request;

import dev.tidemark.broker.Request;
import dev.tidemark.broker.RequestHandler;
import dev.tidemark.metadata.MetadataView;
import dev.tidemark.metadata.OngoingReassignments;
import org.apache.kafka.common.message.ListPartitionReassignmentsRequestData;

/** ListPartitionReassignments: the partitions that move to other brokers (KIP-455). */
public final class ListPartitionReassignmentsHandler implements RequestHandler {
  private final MetadataView view;

  public ListPartitionReassignmentsHandler(MetadataView view) {
    this.view = view;
  }

  @Override
  public void handle(Request request) {
    request.answer(
        OngoingReassignments.list(
            view.image(), request.data(ListPartitionReassignmentsRequestData.class)));
  }
}
