package dev.tidemark.quorum;

import dev.tidemark.env.Directory;
import dev.tidemark.env.Directory.OpenMode;
import dev.tidemark.env.LogFile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.function.Consumer;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.UnalignedMemoryRecords;
import org.apache.kafka.server.common.OffsetAndEpoch;
import org.apache.kafka.snapshot.RawSnapshotWriter;
import org.jspecify.annotations.Nullable;

/**
 * A snapshot that raft writes, its own or piece by piece the leader's. It has another name until it
 * is whole and synced, so that what bears the name of a snapshot is one.
 */
final class RawSnapshotFile implements RawSnapshotWriter {
  private final Directory folder;
  private final SnapshotId id;
  private final Consumer<SnapshotId> onFrozen;
  private @Nullable LogFile file;
  private long position;
  private boolean frozen;

  /**
   * @param onFrozen told once the snapshot has its name, durably
   */
  RawSnapshotFile(Directory folder, SnapshotId id, Consumer<SnapshotId> onFrozen)
      throws IOException {
    this.folder = folder;
    this.id = id;
    this.onFrozen = onFrozen;
    LogFile opened = folder.open(id.partName(), OpenMode.READ_WRITE);
    try {
      opened.truncate(0);
    } catch (IOException e) {
      opened.close();
      throw e;
    }
    this.file = opened;
  }

  @Override
  public OffsetAndEpoch snapshotId() {
    return id.asOffsetAndEpoch();
  }

  @Override
  public long sizeInBytes() {
    return position;
  }

  @Override
  public void append(MemoryRecords records) {
    append(records.buffer());
  }

  @Override
  public void append(UnalignedMemoryRecords records) {
    append(records.buffer());
  }

  private void append(ByteBuffer bytes) {
    int length = bytes.remaining();
    try {
      open().write(bytes, position);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    position += length;
  }

  private LogFile open() {
    LogFile current = file;
    if (current == null) {
      throw new IllegalStateException(id.fileName() + " is closed or frozen");
    }
    return current;
  }

  @Override
  public boolean isFrozen() {
    return frozen;
  }

  @Override
  public void freeze() {
    LogFile current = open();
    file = null;
    try {
      try {
        current.sync();
      } finally {
        current.close();
      }
      folder.rename(id.partName(), id.fileName());
      folder.sync();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    frozen = true;
    onFrozen.accept(id);
  }

  /** Forgets it unless it is frozen. */
  @Override
  public void close() {
    LogFile current = file;
    file = null;
    if (current != null) {
      try {
        current.close();
        folder.delete(id.partName());
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
