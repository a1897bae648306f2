package dev.tidemark.broker.request;

import dev.tidemark.broker.Request;
import dev.tidemark.broker.RequestHandler;
import dev.tidemark.env.Randomness;
import dev.tidemark.group.GroupCoordination;
import dev.tidemark.metadata.ClusterFeatures;
import dev.tidemark.metadata.MetadataView;
import dev.tidemark.metadata.RandomIds;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatRequestData;
import org.apache.kafka.common.protocol.Errors;

/** ConsumerGroupHeartbeat: joins, keeps, changes and leaves a consumer group (KIP-848). */
public final class ConsumerGroupHeartbeatHandler implements RequestHandler {
  private static final short LAST_VERSION_WITH_IDS_OF_THE_BROKER = 0;
  private static final int JOIN = 0;

  private final GroupCoordination groups;
  private final MetadataView view;
  private final Randomness randomness;

  /** {@code randomness} gives the ids of members that come without one. */
  public ConsumerGroupHeartbeatHandler(
      GroupCoordination groups, MetadataView view, Randomness randomness) {
    this.groups = groups;
    this.view = view;
    this.randomness = randomness;
  }

  @Override
  public void handle(Request request) {
    if (!ClusterFeatures.hasConsumerGroups(view.image())) {
      request.fail(Errors.UNSUPPORTED_VERSION.exception());
      return;
    }
    ConsumerGroupHeartbeatRequestData data = request.data(ConsumerGroupHeartbeatRequestData.class);
    if (request.version() <= LAST_VERSION_WITH_IDS_OF_THE_BROKER
        && data.memberEpoch() == JOIN
        && data.memberId().isEmpty()) {
      // The coordinator would draw one that no seed repeats.
      data.setMemberId(RandomIds.next(randomness).toString());
    }
    GroupAnswer.whenDone(
        request, groups.coordinator().consumerGroupHeartbeat(request.context(), data));
  }
}
