package dev.tidemark.log;

import java.util.List;
import org.apache.kafka.common.protocol.Errors;

/** Records that were not appended, and why. Nothing was written. Carries no stack trace. */
public final class RefusedAppend extends Exception {
  private static final long serialVersionUID = 1L;

  private final Errors error;
  private final transient List<RecordError> recordErrors;

  public RefusedAppend(Errors error, String message, List<RecordError> recordErrors) {
    super(message, null, false, false);
    this.error = error;
    this.recordErrors = List.copyOf(recordErrors);
  }

  public RefusedAppend(Errors error, String message) {
    this(error, message, List.of());
  }

  /** The error code for the answer. */
  public Errors error() {
    return error;
  }

  /** Which records of the batch were at fault (KIP-467); empty when the whole batch was. */
  public List<RecordError> recordErrors() {
    return recordErrors;
  }

  /**
   * A record at fault.
   *
   * @param batchIndex its place in the batch, from 0
   */
  public record RecordError(int batchIndex, String message) {}
}
