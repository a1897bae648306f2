package dev.tidemark.log;

/**
 * What the broker knows about a log before it opens it.
 *
 * @param cleanStop true when the folder carries a clean-shutdown marker: nothing needs a scan
 * @param recoveryPoint every offset below it was synced before; 0 when not known
 * @param logStartOffset the lowest offset that may be read; 0 when not known
 */
public record LogOpening(boolean cleanStop, long recoveryPoint, long logStartOffset) {
  /** For a log that does not exist yet, or of which nothing is known. */
  public static LogOpening unknown() {
    return new LogOpening(false, 0, 0);
  }
}
