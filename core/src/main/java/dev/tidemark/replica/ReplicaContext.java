package dev.tidemark.replica;

import dev.tidemark.env.Background;
import dev.tidemark.env.Clock;
import dev.tidemark.env.Timers;

/**
 * What the replicas of a shard share: who they are and the ports they call.
 *
 * @param brokerId the broker they live on
 * @param clock asked by the roles only; the rules are told the time
 * @param contacts when followers fetched last
 * @param lostTailMaxBytes {@code tidemark.lost.tail.max.bytes}: so much of what truncations remove
 *     is kept for each partition
 */
public record ReplicaContext(
    int brokerId,
    Background background,
    Timers timers,
    Clock clock,
    IsrProposals proposals,
    BrokerRegistry brokers,
    Checkpoints checkpoints,
    LagRule lag,
    FollowerContacts contacts,
    long lostTailMaxBytes) {
  private static final BrokerRegistry NOBODY_ELSE =
      new BrokerRegistry() {
        @Override
        public boolean isEligible(int brokerId, long brokerEpoch) {
          return false;
        }

        @Override
        public boolean isAlive(int brokerId) {
          return false;
        }

        @Override
        public long ownEpoch() {
          return -1;
        }
      };

  /** For a broker that is alone in its cluster: nobody else has replicas. */
  public static ReplicaContext alone(
      int brokerId, Background background, Timers timers, Clock clock) {
    return new ReplicaContext(
        brokerId,
        background,
        timers,
        clock,
        (proposal, reply) -> {
          throw new IllegalStateException("A broker that is alone proposes " + proposal);
        },
        NOBODY_ELSE,
        (log, endOffset) -> {},
        LagRule.defaults(),
        new FollowerContacts(),
        0);
  }
}
