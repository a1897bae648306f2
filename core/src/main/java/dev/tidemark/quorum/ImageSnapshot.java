package dev.tidemark.quorum;

import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.image.writer.ImageWriter;
import org.apache.kafka.server.common.ApiMessageAndVersion;
import org.apache.kafka.snapshot.SnapshotWriter;

/** A metadata image on its way into a snapshot of raft, which takes lists of records. */
final class ImageSnapshot implements ImageWriter {
  private static final int RECORDS_PER_BATCH = 1000;

  private final SnapshotWriter<ApiMessageAndVersion> to;
  private final List<ApiMessageAndVersion> gathered = new ArrayList<>();
  private boolean closed;

  ImageSnapshot(SnapshotWriter<ApiMessageAndVersion> to) {
    this.to = to;
  }

  @Override
  public void write(ApiMessageAndVersion record) {
    gathered.add(record);
    if (gathered.size() == RECORDS_PER_BATCH) {
      writeGathered();
    }
  }

  private void writeGathered() {
    if (!gathered.isEmpty()) {
      to.append(List.copyOf(gathered));
      gathered.clear();
    }
  }

  /** {@code complete}: freezes the snapshot; else drops it. Without effect when closed. */
  @Override
  public void close(boolean complete) {
    if (closed) {
      return;
    }
    closed = true;
    try {
      if (complete) {
        writeGathered();
        to.freeze();
      }
    } finally {
      to.close();
    }
  }
}
