package dev.tidemark.protocol;

import java.util.List;
import org.apache.kafka.common.protocol.Errors;

/**
 * Why a batch is not accepted.
 *
 * @param records the records at fault, when single ones are
 */
public record BatchViolation(Errors error, String message, List<AtRecord> records) {
  public BatchViolation {
    records = List.copyOf(records);
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
