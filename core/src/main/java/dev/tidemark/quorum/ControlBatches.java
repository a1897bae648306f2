package dev.tidemark.quorum;

import dev.tidemark.protocol.BatchHeader;
import java.nio.ByteBuffer;
import java.util.Comparator;
import java.util.zip.CRC32C;
import org.apache.kafka.common.message.LeaderChangeMessage;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.ObjectSerializationCache;
import org.apache.kafka.common.record.internal.ControlRecordType;
import org.apache.kafka.common.record.internal.ControlRecordUtils;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MutableRecordBatch;
import org.apache.kafka.common.record.internal.Record;

/**
 * Raft lists those who voted for a new leader in the order of a set, which differs from process to
 * process. A log whose bytes follow from its inputs has them in the order of their ids.
 */
final class ControlBatches {
  private static final Comparator<LeaderChangeMessage.Voter> BY_ID =
      Comparator.comparingInt(LeaderChangeMessage.Voter::voterId);

  /** Kafka's format: the CRC covers everything behind it. */
  private static final int CRC_AT = 17;

  private static final int CRC_FROM = CRC_AT + 4;

  private ControlBatches() {}

  /** Sorts the lists in a leader-change record, in place; nothing else is changed. */
  static void settle(ByteBuffer batches) {
    int at = batches.position();
    for (MutableRecordBatch batch : MemoryRecords.readableRecords(batches.slice()).batches()) {
      if (batch.isControlBatch() && settleRecords(batch)) {
        writeCrc(batches, at, batch.sizeInBytes());
      }
      at += batch.sizeInBytes();
    }
  }

  private static boolean settleRecords(MutableRecordBatch batch) {
    boolean changed = false;
    for (Record record : batch) {
      if (ControlRecordType.parse(record.key()) == ControlRecordType.LEADER_CHANGE) {
        LeaderChangeMessage message = ControlRecordUtils.deserializeLeaderChangeMessage(record);
        message.voters().sort(BY_ID);
        message.grantingVoters().sort(BY_ID);
        // Voters take the same room each, so the value keeps its length.
        message.write(
            new ByteBufferAccessor(record.value()),
            new ObjectSerializationCache(),
            message.version());
        changed = true;
      }
    }
    return changed;
  }

  private static void writeCrc(ByteBuffer batches, int at, int bytes) {
    CRC32C crc = new CRC32C();
    crc.update(batches.duplicate().limit(at + bytes).position(at + CRC_FROM));
    batches.putInt(at + CRC_AT, (int) crc.getValue());
    assert new BatchHeader().wrap(batches, at).crcMatches();
  }
}
