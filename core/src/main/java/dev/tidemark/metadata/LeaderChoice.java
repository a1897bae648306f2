package dev.tidemark.metadata;

import java.util.List;
import java.util.function.IntPredicate;
import org.apache.kafka.metadata.LeaderConstants;

/**
 * Who may lead a partition, the best first: an in-sync replica; an eligible one (KIP-966); with
 * both sets empty the last known leader, which may lack records; another replica only where that is
 * allowed.
 *
 * @param isUnclean acknowledged records may be lost with this leader
 */
record LeaderChoice(int leader, boolean isUnclean) {
  static final LeaderChoice NOBODY = new LeaderChoice(LeaderConstants.NO_LEADER, false);

  /** {@code isActive} tells which replicas could lead now. */
  static LeaderChoice of(
      List<Integer> replicas,
      List<Integer> isr,
      List<Integer> elr,
      List<Integer> lastKnown,
      boolean allowsUnclean,
      IntPredicate isActive) {
    for (int replica : replicas) {
      if (isr.contains(replica) && isActive.test(replica)) {
        return new LeaderChoice(replica, false);
      }
    }
    for (int replica : replicas) {
      if (elr.contains(replica) && isActive.test(replica)) {
        return new LeaderChoice(replica, false);
      }
    }
    if (isr.isEmpty() && elr.isEmpty()) {
      for (int replica : lastKnown) {
        if (replicas.contains(replica) && isActive.test(replica)) {
          return new LeaderChoice(replica, true);
        }
      }
    }
    if (allowsUnclean) {
      for (int replica : replicas) {
        if (isActive.test(replica)) {
          return new LeaderChoice(replica, true);
        }
      }
    }
    return NOBODY;
  }
}
