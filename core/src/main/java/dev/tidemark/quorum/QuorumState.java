package dev.tidemark.quorum;

import org.apache.kafka.common.Uuid;

/**
 * What DescribeQuorum tells.
 *
 * @param leaderId the node that may append
 * @param leaderEpoch its epoch
 * @param directoryId the folder that holds its log
 * @param highWatermark end of what is committed, exclusive
 * @param logEndOffset end of what is written, exclusive
 */
public record QuorumState(
    int leaderId, int leaderEpoch, Uuid directoryId, long highWatermark, long logEndOffset) {}
