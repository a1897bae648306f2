package dev.tidemark.broker.request;

import dev.tidemark.log.EpochEnd;
import dev.tidemark.log.OffsetOutOfRange;
import dev.tidemark.log.PartitionLog;
import dev.tidemark.protocol.ReceivedRequest;
import org.apache.kafka.common.message.FetchResponseData.EpochEndOffset;
import org.apache.kafka.common.message.FetchResponseData.PartitionData;

/** Tells a fetcher whose log has gone another way where its epoch ends here (KIP-595). */
final class Divergence {
  private Divergence() {}

  /**
   * Fills in the diverging epoch if the fetcher's last epoch ended before its fetch offset. Returns
   * true if it did: such an answer carries no records.
   *
   * @throws OffsetOutOfRange if that epoch is not known here, or the offset is below the log start
   */
  static boolean fill(FetchedPartition wanted, PartitionLog log, PartitionData data)
      throws OffsetOutOfRange {
    EpochEnd end = log.endOffsetForEpoch(wanted.lastFetchedEpoch());
    if (end.isUndefined() || wanted.fetchOffset() < log.logStartOffset()) {
      throw new OffsetOutOfRange(
          log.id(), wanted.fetchOffset(), log.logStartOffset(), log.logEndOffset());
    }
    boolean diverges =
        end.epoch() < wanted.lastFetchedEpoch() || end.endOffsetExclusive() < wanted.fetchOffset();
    if (diverges) {
      data.setDivergingEpoch(
              new EpochEndOffset().setEpoch(end.epoch()).setEndOffset(end.endOffsetExclusive()))
          .setLogStartOffset(log.logStartOffset())
          .setRecords(ReceivedRequest.NO_RECORDS);
    }
    return diverges;
  }
}
