package dev.tidemark.log;

/** A leader epoch and the offset of its first record. */
public record EpochStart(int epoch, long startOffset) {}
