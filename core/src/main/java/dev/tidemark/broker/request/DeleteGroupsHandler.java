package dev.tidemark.broker.request;

import dev.tidemark.broker.Request;
import dev.tidemark.broker.RequestHandler;
import dev.tidemark.group.GroupCoordination;
import org.apache.kafka.common.message.DeleteGroupsRequestData;
import org.apache.kafka.common.message.DeleteGroupsResponseData;
import org.apache.kafka.common.utils.internals.BufferSupplier;

/** DeleteGroups: forgets empty groups and their offsets. */
public final class DeleteGroupsHandler implements RequestHandler {
  private final GroupCoordination groups;

  public DeleteGroupsHandler(GroupCoordination groups) {
    this.groups = groups;
  }

  @Override
  public void handle(Request request) {
    GroupAnswer.whenDone(
        request,
        groups
            .coordinator()
            .deleteGroups(
                request.context(),
                RequestedNames.distinct(request.data(DeleteGroupsRequestData.class).groupsNames()),
                BufferSupplier.NO_CACHING),
        results -> new DeleteGroupsResponseData().setResults(results));
  }
}
