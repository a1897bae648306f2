package dev.tidemark.protocol;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.protocol.Errors;
import org.jspecify.annotations.Nullable;

/**
 * Checks what a client sends for one partition before any of it reaches a log, as strictly as
 * Kafka's broker: exactly one batch of format v2, whole, with a valid CRC, whose header and records
 * agree. The cost is one pass for the CRC and a few bytes per record; keys and values are not
 * looked at. A batch that passes is changed in place only where the topic's rules ask for it.
 */
public final class BatchValidator {
  /** More faulty records than these are not listed: an answer stays small. */
  private static final int MAX_RECORD_ERRORS = 100;

  private static final int SHOWN_RECORD_ERRORS = 3;
  private static final long NO_TIMESTAMP = -1;
  private static final int SMALLEST_LEGACY_LENGTH = 14;

  private final BatchHeader header = new BatchHeader();
  private final PlainRecords plain = new PlainRecords();
  private long maxTimestampMs;
  private long inflatedBytes;

  /**
   * Checks {@code records}, from position to limit; null means that they are good and that the
   * timestamps in the header are what the topic asks for.
   */
  public @Nullable BatchViolation check(ByteBuffer records, BatchRules rules, long nowMs) {
    return check(records, rules, nowMs, InflationBudget.of(InflationBudget.MAX_OF_BATCH));
  }

  /** The same; {@link BatchViolation#INFLATES_TOO_FAR} when the budget does not suffice. */
  public @Nullable BatchViolation check(
      ByteBuffer records, BatchRules rules, long nowMs, InflationBudget budget) {
    inflatedBytes = 0;
    BatchViolation violation = checkFrame(records, rules);
    if (violation == null) {
      violation = checkHeader(rules);
    }
    if (violation == null) {
      violation = checkRecords(records, rules, nowMs, budget);
    }
    if (violation == null) {
      header.setMaxTimestamp(rules.logAppendTime(), rules.logAppendTime() ? nowMs : maxTimestampMs);
    }
    return violation;
  }

  /** What the batch that was checked last becomes when it is decompressed; 0 if it is not. */
  public long inflatedBytes() {
    return inflatedBytes;
  }

  private @Nullable BatchViolation checkFrame(ByteBuffer records, BatchRules rules) {
    int remaining = records.remaining();
    if (remaining <= BatchHeader.MAGIC_AT) {
      return invalid(rules, "holds no record batch, one is required");
    }
    header.wrap(records, records.position());
    long size = header.sizeInBytes();
    if (size < BatchHeader.LENGTH_OVERHEAD + SMALLEST_LEGACY_LENGTH) {
      return corrupt(rules, "states the length " + size);
    }
    byte magic = header.magic();
    if (magic < 0 || magic > BatchHeader.MAGIC_V2) {
      return corrupt(rules, "states the magic value " + magic);
    }
    if (magic != BatchHeader.MAGIC_V2) {
      return invalid(rules, "has the magic value " + magic + ", only 2 is accepted");
    }
    if (size > remaining) {
      return invalid(
          rules, "is cut off: it states " + size + " bytes and " + remaining + " have come");
    }
    if (size < BatchHeader.SIZE) {
      return corrupt(rules, "states the length " + size + ", less than its header");
    }
    if (size > rules.maxMessageBytes()) {
      return new BatchViolation(
          Errors.MESSAGE_TOO_LARGE,
          "The record batch of "
              + size
              + " bytes for "
              + rules.partition()
              + " is larger than max.message.bytes = "
              + rules.maxMessageBytes()
              + ".");
    }
    if (size < remaining) {
      return invalid(rules, "is not alone: exactly one record batch per partition is accepted");
    }
    return null;
  }

  private @Nullable BatchViolation checkHeader(BatchRules rules) {
    if (!header.crcMatches()) {
      return corrupt(rules, "does not match its CRC");
    }
    if (header.baseOffset() != 0) {
      return invalid(rules, "has the base offset " + header.baseOffset() + ", it must be 0");
    }
    int count = header.recordCount();
    if (count <= 0) {
      return invalid(rules, "states " + count + " records");
    }
    if (header.lastOffsetDelta() != count - 1) {
      return invalid(
          rules,
          "states " + count + " records and the last offset delta " + header.lastOffsetDelta());
    }
    if (header.isControl()) {
      return invalid(rules, "is a control batch, which clients must not write");
    }
    if (header.compressionId() > Codecs.HIGHEST_ID) {
      return new BatchViolation(
          Errors.UNSUPPORTED_COMPRESSION_TYPE,
          text(rules, "has the unknown compression type " + header.compressionId()));
    }
    return checkProducer(rules);
  }

  private @Nullable BatchViolation checkProducer(BatchRules rules) {
    if (!header.hasProducerId()) {
      return header.isTransactional()
          ? invalid(rules, "is transactional but names no producer id")
          : null;
    }
    if (header.baseSequence() < 0) {
      return invalid(
          rules,
          "of producer " + header.producerId() + " has the sequence " + header.baseSequence());
    }
    if (header.producerEpoch() < 0) {
      return invalid(
          rules, "of producer " + header.producerId() + " has the epoch " + header.producerEpoch());
    }
    // Nobody would ever end the transaction, and its readers would wait at it for ever.
    return header.isTransactional()
        ? new BatchViolation(
            Errors.INVALID_TXN_STATE,
            text(
                rules,
                "of producer "
                    + header.producerId()
                    + " belongs to a transaction, and this version does not support transactions"
                    + " yet; produce without a transactional.id"))
        : null;
  }

  private @Nullable BatchViolation checkRecords(
      ByteBuffer records, BatchRules rules, long nowMs, InflationBudget budget) {
    if (header.compressionId() == 0 && plain.areWellFormed(records, header)) {
      boolean timesFit =
          rules.logAppendTime()
              || plain.newestMs() == NO_TIMESTAMP
              || !(outOfRange(plain.oldestMs(), rules, nowMs)
                  || outOfRange(plain.newestMs(), rules, nowMs));
      if (timesFit && (plain.allKeyed() || !rules.keysRequired())) {
        maxTimestampMs = plain.newestMs();
        return null;
      }
    }
    return checkEachRecord(records, rules, nowMs, budget);
  }

  private @Nullable BatchViolation checkEachRecord(
      ByteBuffer records, BatchRules rules, long nowMs, InflationBudget budget) {
    int count = header.recordCount();
    long baseTimestampMs = header.baseTimestampMs();
    boolean checkTime = !rules.logAppendTime();
    long newestMs = NO_TIMESTAMP;
    List<BatchViolation.AtRecord> errors = List.of();
    boolean timeError = false;
    try (RecordCursor cursor = RecordCursor.over(records, header, budget.ofBatch())) {
      for (int i = 0; i < count; i++) {
        if (!cursor.next()) {
          return spent(cursor, budget)
              ? BatchViolation.INFLATES_TOO_FAR
              : invalid(rules, "is malformed at record " + i + ": " + cursor.fault());
        }
        if (cursor.offsetDelta() != i) {
          return invalid(rules, "has the offset delta " + cursor.offsetDelta() + " at record " + i);
        }
        long timestampMs = baseTimestampMs + cursor.timestampDelta();
        newestMs = Math.max(newestMs, timestampMs);
        if (rules.keysRequired() && !cursor.hasKey()) {
          errors = add(errors, i, "A compacted topic does not accept a record without a key.");
        }
        if (checkTime && timestampMs != NO_TIMESTAMP && outOfRange(timestampMs, rules, nowMs)) {
          timeError = true;
          errors = add(errors, i, timestampText(timestampMs, rules, nowMs));
        }
      }
      boolean atEnd = cursor.atEnd();
      if (spent(cursor, budget)) {
        return BatchViolation.INFLATES_TOO_FAR;
      }
      if (!atEnd) {
        String fault = cursor.fault();
        return invalid(rules, fault != null ? fault : "has bytes after its last record");
      }
    }
    maxTimestampMs = newestMs;
    return errors.isEmpty() ? null : recordErrors(rules, errors, timeError);
  }

  private boolean spent(RecordCursor cursor, InflationBudget budget) {
    inflatedBytes = cursor.inflatedBytes();
    budget.spend(inflatedBytes);
    return cursor.inflatesTooFar();
  }

  private static boolean outOfRange(long timestampMs, BatchRules rules, long nowMs) {
    return nowMs - timestampMs > rules.timestampBeforeMaxMs()
        || timestampMs - nowMs > rules.timestampAfterMaxMs();
  }

  private static String timestampText(long timestampMs, BatchRules rules, long nowMs) {
    return "The timestamp "
        + timestampMs
        + " is out of range: at "
        + nowMs
        + " the topic accepts at most "
        + rules.timestampBeforeMaxMs()
        + " ms before and "
        + rules.timestampAfterMaxMs()
        + " ms after (message.timestamp.before.max.ms, message.timestamp.after.max.ms).";
  }

  private static List<BatchViolation.AtRecord> add(
      List<BatchViolation.AtRecord> errors, int index, String message) {
    List<BatchViolation.AtRecord> list = errors.isEmpty() ? new ArrayList<>() : errors;
    if (list.size() < MAX_RECORD_ERRORS) {
      list.add(new BatchViolation.AtRecord(index, message));
    }
    return list;
  }

  private static BatchViolation recordErrors(
      BatchRules rules, List<BatchViolation.AtRecord> errors, boolean timeError) {
    StringBuilder shown = new StringBuilder();
    for (BatchViolation.AtRecord error :
        errors.subList(0, Math.min(SHOWN_RECORD_ERRORS, errors.size()))) {
      shown.append(" Record ").append(error.index()).append(": ").append(error.message());
    }
    return new BatchViolation(
        timeError ? Errors.INVALID_TIMESTAMP : Errors.INVALID_RECORD,
        errors.size() + " records for " + rules.partition() + " were refused." + shown,
        errors);
  }

  private static BatchViolation invalid(BatchRules rules, String what) {
    return new BatchViolation(Errors.INVALID_RECORD, text(rules, what));
  }

  private static BatchViolation corrupt(BatchRules rules, String what) {
    return new BatchViolation(Errors.CORRUPT_MESSAGE, text(rules, what));
  }

  private static String text(BatchRules rules, String what) {
    return "The record batch for " + rules.partition() + " " + what + ".";
  }
}
