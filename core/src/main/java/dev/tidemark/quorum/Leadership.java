package dev.tidemark.quorum;

/**
 * Who may append to the metadata log.
 *
 * @param leaderId the node; {@link #NONE} while none is known
 * @param epoch its epoch, or the one in which none is known yet
 * @param isActive true when this node leads and was given all that was committed before its epoch
 *     began, so that it may decide
 */
public record Leadership(int leaderId, int epoch, boolean isActive) {
  /** No leader is known. */
  public static final int NONE = -1;

  /** Before anything is known. */
  public static final Leadership UNKNOWN = new Leadership(NONE, 0, false);
}
