package dev.tidemark.quorum;

import dev.tidemark.env.Directory;
import dev.tidemark.env.Directory.OpenMode;
import dev.tidemark.env.LogFile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.Records;
import org.apache.kafka.common.record.internal.UnalignedMemoryRecords;
import org.apache.kafka.common.record.internal.UnalignedRecords;
import org.apache.kafka.server.common.OffsetAndEpoch;
import org.apache.kafka.snapshot.RawSnapshotReader;

/** A whole snapshot in the metadata log's folder; its file is open only while it is read. */
final class StoredSnapshot implements RawSnapshotReader {
  private final Directory folder;
  private final SnapshotId id;
  private final long sizeInBytes;

  StoredSnapshot(Directory folder, SnapshotId id) throws IOException {
    this.folder = folder;
    this.id = id;
    this.sizeInBytes = folder.size(id.fileName());
  }

  @Override
  public OffsetAndEpoch snapshotId() {
    return id.asOffsetAndEpoch();
  }

  @Override
  public long sizeInBytes() {
    return sizeInBytes;
  }

  /** At most what the file holds from there on. */
  @Override
  public UnalignedRecords slice(long position, int bytes) {
    int length = (int) Math.min(bytes, Math.max(0, sizeInBytes - position));
    return new UnalignedMemoryRecords(read(position, length));
  }

  @Override
  public Records records() {
    return MemoryRecords.readableRecords(read(0, Math.toIntExact(sizeInBytes)));
  }

  private ByteBuffer read(long position, int length) {
    ByteBuffer bytes = ByteBuffer.allocate(length);
    try (LogFile file = folder.open(id.fileName(), OpenMode.READ)) {
      if (file.read(bytes, position) < length) {
        throw new IOException(file.path() + " is shorter than " + sizeInBytes + " bytes");
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.flip();
  }
}
