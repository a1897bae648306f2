package dev.tidemark.broker;

import dev.tidemark.log.LogId;
import dev.tidemark.log.LogSettings;

/** A log that cluster metadata says is to be here, led in this epoch. */
record AssignedLog(LogId id, int leaderEpoch, LogSettings settings) {}
