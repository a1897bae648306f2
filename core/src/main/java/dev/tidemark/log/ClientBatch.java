package dev.tidemark.log;

import dev.tidemark.protocol.BatchHeader;
import dev.tidemark.protocol.BatchRecords;
import dev.tidemark.protocol.BatchRules;
import dev.tidemark.protocol.BatchValidator;
import dev.tidemark.protocol.BatchViolation;
import dev.tidemark.protocol.InflationBudget;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.protocol.Errors;
import org.jspecify.annotations.Nullable;

/**
 * A client's batch on its way into a log: first it is checked against the topic's rules and stored
 * with the topic's codec, then it is appended. The check touches nothing of the log, so it may run
 * on another thread when there is much to inflate.
 */
public final class ClientBatch {
  /** A batch that becomes no more than this may change its codec on the shard. */
  private static final long RECODED_ON_SHARD_BYTES = 64 << 10;

  private final BatchRules rules;
  private ByteBuffer records;
  private boolean checked;

  ClientBatch(ByteBuffer records, BatchRules rules) {
    this.records = records;
    this.rules = rules;
  }

  /**
   * Checks as long as the work is small: compressed records that become no more than the budget,
   * and a change of codec only of a small batch.
   *
   * @return false when there is more to do; nothing is known of the batch then
   */
  boolean checkIfSmall(BatchValidator validator, InflationBudget budget, long wallMs)
      throws RefusedAppend {
    if (!checked) {
      if (recodes() && uncompressedBytes() > RECODED_ON_SHARD_BYTES) {
        return false;
      }
      BatchViolation violation = validator.check(records, rules, wallMs, budget);
      if ((violation != null && violation.inflatesTooFar())
          || (recodes() && validator.inflatedBytes() > RECODED_ON_SHARD_BYTES)) {
        return false;
      }
      take(violation, validator);
    }
    return true;
  }

  /** Checks whatever it costs within {@code budget}; on any thread, one at a time. */
  public void check(InflationBudget budget, long wallMs) throws RefusedAppend {
    check(new BatchValidator(), budget, wallMs);
  }

  void check(BatchValidator validator, InflationBudget budget, long wallMs) throws RefusedAppend {
    if (!checked) {
      take(validator.check(records, rules, wallMs, budget), validator);
    }
  }

  private void take(@Nullable BatchViolation violation, BatchValidator validator)
      throws RefusedAppend {
    if (violation != null && violation.inflatesTooFar()) {
      // Clients split a batch that is too large, and send it again.
      throw new RefusedAppend(
          Errors.MESSAGE_TOO_LARGE,
          "The record batch for "
              + rules.partition()
              + " becomes more than "
              + validator.inflatedBytes()
              + " bytes when it is decompressed; send smaller ones.");
    }
    if (violation != null) {
      throw refusal(violation);
    }
    recode(validator.inflatedBytes());
    checked = true;
  }

  private boolean recodes() {
    return rules.compressionId() >= 0 && rules.compressionId() != compressionId();
  }

  private int compressionId() {
    return records.remaining() < BatchHeader.SIZE
        ? rules.compressionId() // too short for a batch, which the check will say
        : new BatchHeader().wrap(records, records.position()).compressionId();
  }

  private int uncompressedBytes() {
    return compressionId() == 0 ? records.remaining() : 0;
  }

  private void recode(long inflatedBytes) throws RefusedAppend {
    if (!recodes()) {
      return;
    }
    if (rules.compressionId() == 0 && inflatedBytes > rules.maxMessageBytes()) {
      throw tooLarge(inflatedBytes);
    }
    ByteBuffer recoded = BatchRecords.withTopicCodec(records, rules);
    if (recoded.remaining() > rules.maxMessageBytes()) {
      throw tooLarge(recoded.remaining());
    }
    records = recoded;
  }

  private RefusedAppend tooLarge(long bytes) {
    return new RefusedAppend(
        Errors.MESSAGE_TOO_LARGE,
        "The record batch for "
            + rules.partition()
            + " has "
            + bytes
            + " bytes in the topic's compression.type, more than max.message.bytes = "
            + rules.maxMessageBytes()
            + ".");
  }

  private static RefusedAppend refusal(BatchViolation violation) {
    List<RefusedAppend.RecordError> errors = new ArrayList<>(violation.records().size());
    for (BatchViolation.AtRecord record : violation.records()) {
      errors.add(new RefusedAppend.RecordError(record.index(), record.message()));
    }
    return new RefusedAppend(violation.error(), violation.message(), errors);
  }

  /** As it is stored, once it is checked. */
  public int sizeInBytes() {
    return records.remaining();
  }

  /** The bytes to append. */
  ByteBuffer checkedRecords() {
    if (!checked) {
      throw new IllegalStateException("The batch for " + rules.partition() + " is not checked");
    }
    return records;
  }
}
