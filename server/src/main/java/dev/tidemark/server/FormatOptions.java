package dev.tidemark.server;

import org.jspecify.annotations.Nullable;

/**
 * How data folders are formatted.
 *
 * @param clusterId the cluster; null for the one of the folders, or a new one
 * @param voters who votes in the metadata log first
 * @param initialControllers their list, {@code ID@HOST:PORT:DIRECTORY_ID,…}; empty unless {@code
 *     voters} is {@link Voters#LISTED}
 */
public record FormatOptions(@Nullable String clusterId, Voters voters, String initialControllers) {
  /** Who votes first. */
  public enum Voters {
    /** What the settings make of it. */
    DEFAULT,
    /** This node alone. */
    STANDALONE,
    /** A list of controllers, the same on each of them. */
    LISTED,
    /** The node joins a quorum that is there. */
    NONE
  }

  /** A new cluster, or the one of the folders. */
  public static final FormatOptions DEFAULTS = new FormatOptions(null, Voters.DEFAULT, "");
}
