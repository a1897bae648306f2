package dev.tidemark.broker;

import dev.tidemark.log.LogId;
import dev.tidemark.log.LogSettings;
import org.apache.kafka.common.Uuid;

/**
 * A log that cluster metadata says is to be here, led in this epoch.
 *
 * @param directoryId the data folder that it is assigned to (KIP-858)
 */
record AssignedLog(LogId id, int leaderEpoch, Uuid directoryId, LogSettings settings) {}
