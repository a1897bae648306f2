package dev.tidemark.broker.request;

import dev.tidemark.broker.Request;
import dev.tidemark.broker.RequestHandler;
import dev.tidemark.group.GroupCoordination;
import org.apache.kafka.common.message.DescribeGroupsRequestData;
import org.apache.kafka.common.message.DescribeGroupsResponseData;
import org.apache.kafka.common.message.DescribeGroupsResponseData.DescribedGroup;
import org.apache.kafka.common.protocol.Errors;

/** DescribeGroups: state and members of classic groups (KIP-1043 for missing ones). */
public final class DescribeGroupsHandler implements RequestHandler {
  private static final short FIRST_VERSION_THAT_TELLS_MISSING = 6;

  private final GroupCoordination groups;

  public DescribeGroupsHandler(GroupCoordination groups) {
    this.groups = groups;
  }

  @Override
  public void handle(Request request) {
    DescribeGroupsRequestData data = request.data(DescribeGroupsRequestData.class);
    short version = request.version();
    GroupAnswer.whenDone(
        request,
        groups
            .coordinator()
            .describeGroups(request.context(), RequestedNames.distinct(data.groups())),
        described -> {
          for (DescribedGroup group : described) {
            boolean notFound = group.errorCode() == Errors.GROUP_ID_NOT_FOUND.code();
            if (notFound && version < FIRST_VERSION_THAT_TELLS_MISSING) {
              group.setErrorCode(Errors.NONE.code());
            }
            if (group.errorCode() == Errors.NONE.code()) {
              group.setAuthorizedOperations(
                  AuthorizedOperations.group(data.includeAuthorizedOperations()));
            }
          }
          return new DescribeGroupsResponseData().setGroups(described);
        });
  }
}
