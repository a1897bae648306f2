package dev.tidemark.broker.request;

import dev.tidemark.broker.Request;
import dev.tidemark.broker.RequestHandler;
import dev.tidemark.group.GroupCoordination;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatRequestData;

/** ConsumerGroupHeartbeat: joins, keeps, changes and leaves a consumer group (KIP-848). */
public final class ConsumerGroupHeartbeatHandler implements RequestHandler {
  private final GroupCoordination groups;

  public ConsumerGroupHeartbeatHandler(GroupCoordination groups) {
    this.groups = groups;
  }

  @Override
  public void handle(Request request) {
    GroupAnswer.whenDone(
        request,
        groups
            .coordinator()
            .consumerGroupHeartbeat(
                request.context(), request.data(ConsumerGroupHeartbeatRequestData.class)));
  }
}
