package dev.tidemark.broker.request;

import dev.tidemark.broker.Request;
import dev.tidemark.broker.RequestHandler;
import dev.tidemark.group.GroupCoordination;
import org.apache.kafka.common.message.ListGroupsRequestData;

/** ListGroups: the groups of this broker, by state and type (KIP-518, KIP-848). */
public final class ListGroupsHandler implements RequestHandler {
  private final GroupCoordination groups;

  public ListGroupsHandler(GroupCoordination groups) {
    this.groups = groups;
  }

  @Override
  public void handle(Request request) {
    GroupAnswer.whenDone(
        request,
        groups
            .coordinator()
            .listGroups(request.context(), request.data(ListGroupsRequestData.class)));
  }
}
