package dev.tidemark.log;

import dev.tidemark.env.FileSlice;
import org.jspecify.annotations.Nullable;

/**
 * Whole record batches from one segment, and the log's bounds at that same moment. Whoever gets it
 * releases the slice.
 *
 * @param slice the batches, or null when there is nothing to read
 * @param length bytes, 0 without a slice
 * @param startOffset the offset that was asked for; the first batch may begin below it
 * @param nextOffset where the next read goes on; the start offset when nothing was read
 * @param logStartOffset the log start offset
 * @param logEndOffset the log end offset, exclusive
 */
public record LogRead(
    @Nullable FileSlice slice,
    int length,
    long startOffset,
    long nextOffset,
    long logStartOffset,
    long logEndOffset) {
  public boolean isEmpty() {
    return slice == null;
  }
}
