package dev.tidemark.metadata;

import dev.tidemark.quorum.Leadership;
import dev.tidemark.quorum.MetadataBatch;
import dev.tidemark.quorum.MetadataLog;
import dev.tidemark.quorum.QuorumState;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.NotControllerException;
import org.apache.kafka.image.writer.ImageWriter;
import org.apache.kafka.server.common.ApiMessageAndVersion;
import org.jspecify.annotations.Nullable;

/** A metadata log in memory, which can hold commits back and fail. */
public class FakeMetadataLog implements MetadataLog {
  final List<MetadataBatch> batches = new ArrayList<>();
  private final List<Runnable> held = new ArrayList<>();
  private @Nullable Listener listener;
  private boolean holding;
  private boolean failing;
  private long endOffset;
  private int epoch;
  private final List<Completion> completions = new ArrayList<>();

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
    depose();
    listener = hearer;
    batches.forEach(hearer::onCommit);
    hearer.onLeaderChange(new Leadership(1, ++epoch, true));
  }

  /** Another node leads from now on; what is under way fails. */
  void depose() {
    Listener deposed = listener;
    listener = null;
    if (deposed != null) {
      held.clear();
      List.copyOf(completions).forEach(one -> one.onFailed(new NotControllerException("deposed")));
      completions.clear();
      deposed.onLeaderChange(new Leadership(2, ++epoch, false));
    }
  }

  @Override
  public void append(List<ApiMessageAndVersion> records, Completion completion) {
    if (listener == null) {
      completion.onFailed(new NotControllerException("deposed"));
      return;
    }
    if (failing) {
      failing = false;
      completion.onFailed(new IOException("no space left"));
      return;
    }
    completions.add(completion);
    Runnable commit =
        () -> {
          completions.remove(completion);
          MetadataBatch batch =
              new MetadataBatch(endOffset, endOffset + records.size() - 1, epoch, 1000, records);
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
    return new QuorumState(1, epoch, Uuid.ONE_UUID, endOffset, endOffset);
  }

  @Override
  public void close() {}
}
