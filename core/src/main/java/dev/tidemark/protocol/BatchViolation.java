package dev.tidemark.protocol;

import java.util.List;
import org.apache.kafka.common.protocol.Errors;

/**
 * Why a batch is not accepted.
 *
 * @param records the records at fault, when single ones are
 */
public record BatchViolation(Errors error, String message, List<AtRecord> records) {
  /** The batch becomes more than the budget when it is decompressed; nothing else is known. */
  public static final BatchViolation INFLATES_TOO_FAR =
      new BatchViolation(Errors.MESSAGE_TOO_LARGE, "The record batch inflates too far.");

  public BatchViolation {
    records = List.copyOf(records);
  }

  /** True for {@link #INFLATES_TOO_FAR}. */
  @SuppressWarnings("ReferenceEquality") // there is one of it
  public boolean inflatesTooFar() {
    return this == INFLATES_TOO_FAR;
  }

  BatchViolation(Errors error, String message) {
    this(error, message, List.of());
  }

  /**
   * A record at fault.
   *
   * @param index its place in the batch, from 0
   */
  public record AtRecord(int index, String message) {}
}
