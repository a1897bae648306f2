package dev.tidemark.broker;

import dev.tidemark.log.LogId;
import dev.tidemark.log.LogSettings;
import org.apache.kafka.common.Uuid;

/**
 * A log that cluster metadata says is to be here.
 *
 * @param directoryId the data folder that it is assigned to (KIP-858)
 */
record AssignedLog(LogId id, Uuid directoryId, LogSettings settings) {}
