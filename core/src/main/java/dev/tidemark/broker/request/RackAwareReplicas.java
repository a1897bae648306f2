package dev.tidemark.broker.request;

import dev.tidemark.metadata.MetadataView;
import dev.tidemark.replica.PartitionLeader;
import java.util.Optional;
import org.apache.kafka.metadata.BrokerRegistration;

/**
 * Sends consumers to a replica in their rack: to the leader if it is there, otherwise to the
 * in-sync follower there that has most of the log. Where there is none the leader serves.
 */
public final class RackAwareReplicas implements ReadReplicas {
  private final MetadataView view;
  private final int nodeId;

  public RackAwareReplicas(MetadataView view, int nodeId) {
    this.view = view;
    this.nodeId = nodeId;
  }

  @Override
  public int choose(PartitionLeader leader, long offset, String rack) {
    if (leader.isAlone() || isThere(nodeId, rack)) {
      return HERE;
    }
    int best = HERE;
    for (int replica : leader.readReplicas(offset)) {
      boolean better =
          best == HERE || leader.followerEndOffset(replica) > leader.followerEndOffset(best);
      if (better && isThere(replica, rack)) {
        best = replica;
      }
    }
    return best;
  }

  private boolean isThere(int brokerId, String rack) {
    BrokerRegistration broker = view.image().cluster().broker(brokerId);
    return broker != null && !broker.fenced() && broker.rack().equals(Optional.of(rack));
  }
}
