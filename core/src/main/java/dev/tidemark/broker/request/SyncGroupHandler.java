package dev.tidemark.broker.request;

import dev.tidemark.broker.Request;
import dev.tidemark.broker.RequestHandler;
import dev.tidemark.group.GroupCoordination;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.SyncGroupRequest;
import org.apache.kafka.common.utils.internals.BufferSupplier;

/** SyncGroup: the leader of a classic group brings the assignment, the others fetch theirs. */
public final class SyncGroupHandler implements RequestHandler {
  private final GroupCoordination groups;

  public SyncGroupHandler(GroupCoordination groups) {
    this.groups = groups;
  }

  @Override
  public void handle(Request request) {
    groups.checkStorable(request.sizeInBytes());
    SyncGroupRequest body = (SyncGroupRequest) request.body();
    if (!body.areMandatoryProtocolTypeAndNamePresent()) {
      request.fail(Errors.INCONSISTENT_GROUP_PROTOCOL.exception());
      return;
    }
    GroupAnswer.whenDone(
        request,
        groups.coordinator().syncGroup(request.context(), body.data(), BufferSupplier.NO_CACHING));
  }
}
