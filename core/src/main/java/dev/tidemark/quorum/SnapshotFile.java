package dev.tidemark.quorum;

import dev.tidemark.env.Directory;
import dev.tidemark.env.Directory.OpenMode;
import dev.tidemark.env.LogFile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.image.writer.ImageWriter;
import org.apache.kafka.server.common.ApiMessageAndVersion;

/**
 * A snapshot that is being written, in KRaft's format: a header that also names the voter, batches
 * of records, a footer. It has another name until it is whole and synced, so that what bears the
 * name of a snapshot is one.
 */
final class SnapshotFile implements ImageWriter {
  private static final int RECORDS_PER_BATCH = 1000;

  private final Directory folder;
  private final SnapshotId id;
  private final long nowMs;
  private final LogFile file;
  private final List<ApiMessageAndVersion> gathered = new ArrayList<>();
  private long position;
  private long nextOffset;
  private boolean closed;

  SnapshotFile(
      Directory folder,
      SnapshotId id,
      int nodeId,
      Uuid directoryId,
      long lastContainedMs,
      long nowMs)
      throws IOException {
    this.folder = folder;
    this.id = id;
    this.nowMs = nowMs;
    this.file = folder.open(id.partName(), OpenMode.READ_WRITE);
    try {
      file.truncate(0);
      append(
          MetadataBatches.snapshotHeader(nodeId, directoryId, id.epoch(), lastContainedMs, nowMs),
          3);
    } catch (IOException e) {
      file.close();
      throw e;
    }
  }

  private void append(ByteBuffer batch, int records) throws IOException {
    int bytes = batch.remaining();
    file.write(batch, position);
    position += bytes;
    nextOffset += records;
  }

  /** Throws {@link UncheckedIOException}: Kafka's images know no other. */
  @Override
  public void write(ApiMessageAndVersion record) {
    gathered.add(record);
    if (gathered.size() == RECORDS_PER_BATCH) {
      try {
        writeGathered();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  private void writeGathered() throws IOException {
    if (!gathered.isEmpty()) {
      append(MetadataBatches.encode(gathered, nextOffset, id.epoch(), nowMs), gathered.size());
      gathered.clear();
    }
  }

  /** {@code complete}: gives it its name, durably; else deletes it. Without effect when closed. */
  @Override
  public void close(boolean complete) {
    if (closed) {
      return;
    }
    closed = true;
    try {
      if (complete) {
        freeze();
      } else {
        file.close();
        folder.delete(id.partName());
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void freeze() throws IOException {
    try {
      writeGathered();
      append(MetadataBatches.snapshotFooter(nextOffset, id.epoch(), nowMs), 1);
      file.sync();
    } finally {
      file.close();
    }
    folder.rename(id.partName(), id.fileName());
    folder.sync();
  }
}
