package dev.tidemark.replica;

/**
 * A member of a proposed ISR.
 *
 * @param brokerEpoch the registration under which it fetched; -1 when it has not fetched yet, which
 *     the controller does not check (KIP-903)
 */
public record IsrMember(int brokerId, long brokerEpoch) {}
