package dev.tidemark.broker.request;

import dev.tidemark.broker.Request;
import dev.tidemark.broker.RequestHandler;
import dev.tidemark.group.GroupCoordination;
import org.apache.kafka.common.requests.LeaveGroupRequest;
import org.apache.kafka.common.requests.LeaveGroupResponse;

/** LeaveGroup: one or several members of a classic group go (KIP-345). */
public final class LeaveGroupHandler implements RequestHandler {
  private final GroupCoordination groups;

  public LeaveGroupHandler(GroupCoordination groups) {
    this.groups = groups;
  }

  @Override
  public void handle(Request request) {
    short version = request.version();
    GroupAnswer.whenDone(
        request,
        groups
            .coordinator()
            .leaveGroup(request.context(), ((LeaveGroupRequest) request.body()).normalizedData()),
        result -> new LeaveGroupResponse(result, version).data());
  }
}
