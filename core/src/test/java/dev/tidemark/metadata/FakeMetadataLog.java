package dev.tidemark.metadata;

import dev.tidemark.quorum.MetadataBatch;
import dev.tidemark.quorum.MetadataLog;
import dev.tidemark.quorum.QuorumState;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.image.writer.ImageWriter;
import org.apache.kafka.server.common.ApiMessageAndVersion;
import org.jspecify.annotations.Nullable;

/** A metadata log in memory, which can hold commits back and fail. */
public final class FakeMetadataLog implements MetadataLog {
  final List<MetadataBatch> batches = new ArrayList<>();
  private final List<Runnable> held = new ArrayList<>();
  private @Nullable Listener listener;
  private boolean holding;
  private boolean failing;
  private long endOffset;

  void hold() {
    holding = true;
  }

  void releaseOne() {
    held.remove(0).run();
  }

  void failNext() {
    failing = true;
  }

  int heldCommits() {
    return held.size();
  }

  @Override
  public void start(Listener hearer) {
    listener = hearer;
    batches.forEach(hearer::onCommit);
  }

  @Override
  public void append(List<ApiMessageAndVersion> records, Completion completion) {
    if (failing) {
      failing = false;
      completion.onFailed(new IOException("no space left"));
      return;
    }
    Runnable commit =
        () -> {
          MetadataBatch batch =
              new MetadataBatch(endOffset, endOffset + records.size() - 1, 1, 1000, records);
          endOffset += records.size();
          batches.add(batch);
          if (listener != null) {
            listener.onCommit(batch);
          }
          completion.onCommitted(batch.lastOffset());
        };
    if (holding) {
      held.add(commit);
    } else {
      commit.run();
    }
  }

  @Override
  public boolean isSnapshotDue() {
    return false;
  }

  @Override
  public void takeSnapshot(Consumer<ImageWriter> content) {
    throw new UnsupportedOperationException();
  }

  @Override
  public QuorumState state() {
    return new QuorumState(1, 1, Uuid.ONE_UUID, endOffset, endOffset);
  }

  @Override
  public void close() {}
}
