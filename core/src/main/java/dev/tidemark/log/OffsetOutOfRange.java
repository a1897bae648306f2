package dev.tidemark.log;

/** A read below the log start offset or above the log end offset. Carries no stack trace. */
public final class OffsetOutOfRange extends Exception {
  private static final long serialVersionUID = 1L;

  public OffsetOutOfRange(LogId log, long offset, long logStartOffset, long logEndOffset) {
    super(
        "Offset "
            + offset
            + " of "
            + log
            + " is outside the log, which holds offsets from "
            + logStartOffset
            + " to "
            + logEndOffset
            + " (exclusive).",
        null,
        false,
        false);
  }
}
