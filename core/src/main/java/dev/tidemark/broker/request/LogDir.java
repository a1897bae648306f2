package dev.tidemark.broker.request;

import dev.tidemark.env.Background;
import dev.tidemark.env.Directory;
import dev.tidemark.log.LogId;
import java.util.function.Predicate;

/**
 * A data folder as clients may ask for it.
 *
 * @param online false when the folder failed
 * @param holds which partitions lie in it
 * @param work where slow work on it goes, so that it holds up no other folder
 */
public record LogDir(
    Directory directory, boolean online, Predicate<LogId> holds, Background work) {}
