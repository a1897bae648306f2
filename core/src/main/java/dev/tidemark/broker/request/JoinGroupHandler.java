package dev.tidemark.broker.request;

import dev.tidemark.broker.Request;
import dev.tidemark.broker.RequestHandler;
import dev.tidemark.group.GroupCoordination;
import org.apache.kafka.common.message.JoinGroupRequestData;
import org.apache.kafka.common.requests.JoinGroupResponse;
import org.apache.kafka.common.utils.internals.BufferSupplier;

/** JoinGroup: a member of a classic group asks in; answered when the group is complete. */
public final class JoinGroupHandler implements RequestHandler {
  private final GroupCoordination groups;

  public JoinGroupHandler(GroupCoordination groups) {
    this.groups = groups;
  }

  @Override
  public void handle(Request request) {
    groups.checkStorable(request.sizeInBytes());
    short version = request.version();
    GroupAnswer.whenDone(
        request,
        groups
            .coordinator()
            .joinGroup(
                request.context(),
                request.data(JoinGroupRequestData.class),
                BufferSupplier.NO_CACHING),
        result -> new JoinGroupResponse(result, version).data());
  }
}
