package dev.tidemark.broker.request;

import dev.tidemark.broker.Request;
import dev.tidemark.broker.RequestHandler;
import dev.tidemark.group.GroupCoordination;
import dev.tidemark.metadata.ClusterFeatures;
import dev.tidemark.metadata.MetadataView;
import org.apache.kafka.common.message.ConsumerGroupDescribeRequestData;
import org.apache.kafka.common.message.ConsumerGroupDescribeResponseData;
import org.apache.kafka.common.message.ConsumerGroupDescribeResponseData.DescribedGroup;
import org.apache.kafka.common.protocol.Errors;

/** ConsumerGroupDescribe: state, members and assignments of consumer groups (KIP-848). */
public final class ConsumerGroupDescribeHandler implements RequestHandler {
  private final GroupCoordination groups;
  private final MetadataView view;

  public ConsumerGroupDescribeHandler(GroupCoordination groups, MetadataView view) {
    this.groups = groups;
    this.view = view;
  }

  @Override
  public void handle(Request request) {
    if (!ClusterFeatures.hasConsumerGroups(view.image())) {
      request.fail(Errors.UNSUPPORTED_VERSION.exception());
      return;
    }
    ConsumerGroupDescribeRequestData data = request.data(ConsumerGroupDescribeRequestData.class);
    GroupAnswer.whenDone(
        request,
        groups
            .coordinator()
            .consumerGroupDescribe(request.context(), RequestedNames.distinct(data.groupIds())),
        described -> {
          for (DescribedGroup group : described) {
            if (group.errorCode() == Errors.NONE.code()) {
              group.setAuthorizedOperations(
                  AuthorizedOperations.group(data.includeAuthorizedOperations()));
            }
          }
          return new ConsumerGroupDescribeResponseData().setGroups(described);
        });
  }
}
