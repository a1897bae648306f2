package dev.tidemark.broker.request;

import dev.tidemark.broker.Request;
import dev.tidemark.broker.RequestHandler;
import dev.tidemark.group.GroupCoordination;
import org.apache.kafka.common.message.HeartbeatRequestData;

/** Heartbeat of a classic group. */
public final class HeartbeatHandler implements RequestHandler {
  private final GroupCoordination groups;

  public HeartbeatHandler(GroupCoordination groups) {
    this.groups = groups;
  }

  @Override
  public void handle(Request request) {
    GroupAnswer.whenDone(
        request,
        groups
            .coordinator()
            .heartbeat(request.context(), request.data(HeartbeatRequestData.class)));
  }
}
