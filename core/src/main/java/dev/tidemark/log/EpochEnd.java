package dev.tidemark.log;

/**
 * The answer to "where does this leader epoch end" (KIP-101, KIP-279).
 *
 * @param epoch the largest known epoch that is not above the one asked for; -1 when undefined
 * @param endOffsetExclusive the first offset after it; -1 when undefined
 */
public record EpochEnd(int epoch, long endOffsetExclusive) {
  public static final EpochEnd UNDEFINED = new EpochEnd(-1, -1);

  public boolean isUndefined() {
    return epoch < 0;
  }
}
