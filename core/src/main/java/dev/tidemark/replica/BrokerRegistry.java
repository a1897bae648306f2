package dev.tidemark.replica;

/** What the committed metadata says of brokers. Asked within events of the partition's shard. */
public interface BrokerRegistry {
  /**
   * True when the broker may be in an ISR: registered with this very epoch, neither fenced nor on
   * its way out (KIP-841, KIP-903).
   */
  boolean isEligible(int brokerId, long brokerEpoch);

  /** True when the broker is registered and not fenced, with whichever epoch. */
  boolean isAlive(int brokerId);

  /** The epoch of this broker's own registration. */
  long ownEpoch();
}
