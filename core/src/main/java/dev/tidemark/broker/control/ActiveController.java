package dev.tidemark.broker.control;

import dev.tidemark.quorum.Leadership;
import dev.tidemark.quorum.QuorumAddress;
import org.jspecify.annotations.Nullable;

/**
 * The active controller, as far as it is known.
 *
 * @param nodeId -1 while none is known
 * @param epoch of its role
 * @param isHere true when it is in this process and decides already
 * @param address where it is called; null while that is not known, or nobody needs to call it
 */
public record ActiveController(
    int nodeId, int epoch, boolean isHere, @Nullable QuorumAddress address) {
  /** None is known. */
  public static final ActiveController NONE = new ActiveController(Leadership.NONE, 0, false, null);
}
