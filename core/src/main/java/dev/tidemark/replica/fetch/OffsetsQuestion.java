package dev.tidemark.replica.fetch;

import dev.tidemark.log.LogId;

/** Where does the log of a partition start and end, at its leader in this epoch? */
public record OffsetsQuestion(LogId id, int leaderEpoch) {}
