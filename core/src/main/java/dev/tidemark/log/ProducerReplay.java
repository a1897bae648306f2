package dev.tidemark.log;

import dev.tidemark.protocol.BatchHeader;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Rebuilds producer state from the newest usable snapshot and the batches after it. */
final class ProducerReplay {
  private static final Logger LOG = LoggerFactory.getLogger(ProducerReplay.class);

  private final LogState state;
  private final boolean fillsTxnIndexes;

  /**
   * @param fillsTxnIndexes true at opening: the transaction indexes of segments that were rebuilt
   *     are empty and get their entries again
   */
  ProducerReplay(LogState state, boolean fillsTxnIndexes) {
    this.state = state;
    this.fillsTxnIndexes = fillsTxnIndexes;
  }

  /** Where the first segment begins whose transaction index must be filled. */
  private long firstNeeded() {
    for (int i = 0; fillsTxnIndexes && i < state.segments.count(); i++) {
      if (state.segments.get(i).isRebuilt()) {
        return state.segments.get(i).baseOffset();
      }
    }
    return Long.MAX_VALUE;
  }

  void run(long endOffset) throws IOException {
    state.producers.clear();
    long from = loadSnapshot(Math.min(endOffset, firstNeeded()));
    for (int i = Math.max(0, state.segments.floor(from)); i < state.segments.count(); i++) {
      Segment segment = state.segments.get(i);
      if (segment.baseOffset() < endOffset && from < endOffset) {
        replay(segment, from, endOffset);
      }
    }
    state.producers.expire(state.clock.wallMs(), state.settings.producerIdExpirationMs());
  }

  /** Returns the offset up to which the state is known then. */
  private long loadSnapshot(long atMost) throws IOException {
    long offset = state.snapshots.newestAtOrBelow(atMost);
    while (offset >= 0) {
      List<ProducerWindow> windows = state.snapshots.load(offset);
      if (windows != null) {
        for (ProducerWindow window : windows) {
          state.producers.restore(window);
        }
        return offset;
      }
      LOG.warn(
          "{}/{} is damaged and was deleted; producer state is rebuilt from the log",
          state.folder.path(),
          ProducerSnapshots.name(offset));
      state.snapshots.delete(offset);
      offset = state.snapshots.newestAtOrBelow(atMost);
    }
    return state.segments.first().baseOffset();
  }

  private void replay(Segment segment, long from, long endOffset) throws IOException {
    int start = from <= segment.baseOffset() ? 0 : segment.positionOf(from);
    BatchScanner scanner = segment.far(start);
    while (scanner.next() && scanner.header().baseOffset() < endOffset) {
      BatchHeader batch = scanner.header();
      if (!batch.hasProducerId()) {
        continue;
      }
      if (batch.isControl()) {
        scanner.loadWhole();
      }
      @Nullable AbortedTxn aborted = state.noteProducer(batch, scanner.buffer());
      if (aborted != null && segment.isRebuilt() && fillsTxnIndexes) {
        segment.txnIndex().append(aborted);
      }
    }
  }
}
