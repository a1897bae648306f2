package dev.tidemark.quorum;

import org.apache.kafka.common.Uuid;
import org.jspecify.annotations.Nullable;

/**
 * A voter as the log names it (KIP-853).
 *
 * @param directoryId the folder that holds its log: a node whose disk was replaced is another voter
 * @param address where it is called; null when it is the only voter and nobody calls it
 */
public record QuorumVoter(int nodeId, Uuid directoryId, @Nullable QuorumAddress address) {}
