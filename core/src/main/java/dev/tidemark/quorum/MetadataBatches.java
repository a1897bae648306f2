package dev.tidemark.quorum;

import dev.tidemark.env.FileSlice;
import dev.tidemark.log.CorruptLog;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.errors.CorruptRecordException;
import org.apache.kafka.common.message.KRaftVersionRecord;
import org.apache.kafka.common.message.LeaderChangeMessage;
import org.apache.kafka.common.message.SnapshotFooterRecord;
import org.apache.kafka.common.message.SnapshotHeaderRecord;
import org.apache.kafka.common.message.VotersRecord;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.ObjectSerializationCache;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.ControlRecordType;
import org.apache.kafka.common.record.internal.ControlRecordUtils;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MemoryRecordsBuilder;
import org.apache.kafka.common.record.internal.MutableRecordBatch;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.metadata.MetadataRecordSerde;
import org.apache.kafka.raft.internals.BatchBuilder;
import org.apache.kafka.server.common.ApiMessageAndVersion;
import org.jspecify.annotations.Nullable;

/** Record batches of the metadata log, in KRaft's format, and back. */
final class MetadataBatches {
  /** The largest batch, the bound KRaft has. */
  static final int MAX_BYTES = 8 << 20;

  private static final int CONTROL_BYTES = 1024;

  /** What a record costs by a rough guess; the buffer grows when that is too little. */
  private static final int BYTES_PER_RECORD = 128;

  private MetadataBatches() {}

  static ByteBuffer encode(
      List<ApiMessageAndVersion> records, long baseOffset, int epoch, long nowMs)
      throws IOException {
    ByteBuffer buffer =
        ByteBuffer.allocate(Math.min(MAX_BYTES, 256 + BYTES_PER_RECORD * records.size()));
    BatchBuilder<ApiMessageAndVersion> builder =
        new BatchBuilder<>(
            buffer,
            MetadataRecordSerde.INSTANCE,
            Compression.NONE,
            baseOffset,
            nowMs,
            epoch,
            MAX_BYTES);
    ObjectSerializationCache sizes = new ObjectSerializationCache();
    if (builder.bytesNeeded(records, sizes).isPresent()) {
      throw new IOException(
          "%d metadata records need more than %d bytes: ask for less at once"
              .formatted(records.size(), MAX_BYTES));
    }
    for (ApiMessageAndVersion record : records) {
      builder.appendRecord(record, sizes);
    }
    return builder.build().buffer();
  }

  /** Tells of each batch; returns the ids of the voters that they name last, null without any. */
  static @Nullable List<Integer> decode(String path, ByteBuffer batches, MetadataLog.Listener to)
      throws IOException {
    List<Integer> voters = null;
    for (MutableRecordBatch batch : MemoryRecords.readableRecords(batches).batches()) {
      batch.ensureValid();
      if (batch.isControlBatch()) {
        List<Integer> named = voterIds(batch);
        voters = named == null ? voters : named;
      } else {
        to.onCommit(
            new MetadataBatch(
                batch.baseOffset(),
                batch.lastOffset(),
                batch.partitionLeaderEpoch(),
                batch.maxTimestamp(),
                records(path, batch)));
      }
    }
    return voters;
  }

  /** The ids of the voters that a control batch names; null when it names none. */
  private static @Nullable List<Integer> voterIds(MutableRecordBatch batch) {
    List<Integer> ids = null;
    for (Record record : batch) {
      ByteBuffer value = record.value();
      if (ControlRecordType.parse(record.key()) == ControlRecordType.KRAFT_VOTERS
          && value != null) {
        ids =
            ControlRecordUtils.deserializeVotersRecord(value).voters().stream()
                .map(VotersRecord.Voter::voterId)
                .sorted()
                .toList();
      }
    }
    return ids;
  }

  /**
   * What a snapshot holds.
   *
   * @param voters their ids; null when it does not name them
   */
  record Snapshot(List<ApiMessageAndVersion> records, @Nullable List<Integer> voters) {}

  /**
   * All records of a snapshot.
   *
   * @throws CorruptLog when it is not whole
   */
  static Snapshot decodeSnapshot(String path, ByteBuffer file) throws IOException {
    List<ApiMessageAndVersion> all = new ArrayList<>();
    List<Integer> voters = readSnapshot(path, file, batch -> all.addAll(records(path, batch)));
    return new Snapshot(all, voters);
  }

  /** What takes the batches of data of a snapshot. */
  private interface BatchTaker {
    void take(MutableRecordBatch batch) throws IOException;
  }

  private static @Nullable List<Integer> readSnapshot(
      String path, ByteBuffer file, BatchTaker taker) throws IOException {
    List<Integer> voters = null;
    int bytes = 0;
    boolean begun = false;
    boolean ended = false;
    try {
      for (MutableRecordBatch batch : MemoryRecords.readableRecords(file).batches()) {
        batch.ensureValid();
        bytes += batch.sizeInBytes();
        if (batch.isControlBatch()) {
          begun |= holds(batch, ControlRecordType.SNAPSHOT_HEADER);
          ended |= holds(batch, ControlRecordType.SNAPSHOT_FOOTER);
          List<Integer> named = voterIds(batch);
          voters = named == null ? voters : named;
        } else {
          taker.take(batch);
        }
      }
    } catch (CorruptRecordException e) {
      throw new CorruptLog(path + " is damaged: " + e.getMessage());
    }
    if (!begun || !ended || bytes != file.limit()) {
      throw new CorruptLog(path + " is not a whole snapshot");
    }
    return voters;
  }

  /**
   * Checks a snapshot without reading its records.
   *
   * @throws CorruptLog when it is not whole
   */
  static void requireWholeSnapshot(String path, ByteBuffer file) throws IOException {
    var unused = readSnapshot(path, file, batch -> {});
  }

  private static boolean holds(MutableRecordBatch batch, ControlRecordType type) {
    for (Record record : batch) {
      if (ControlRecordType.parse(record.key()) == type) {
        return true;
      }
    }
    return false;
  }

  private static List<ApiMessageAndVersion> records(String path, MutableRecordBatch batch)
      throws IOException {
    List<ApiMessageAndVersion> records = new ArrayList<>();
    for (Record record : batch) {
      ByteBuffer value = record.value();
      if (value == null) {
        throw new IOException(
            "%s: the record at offset %d has no value".formatted(path, record.offset()));
      }
      records.add(
          MetadataRecordSerde.INSTANCE.read(new ByteBufferAccessor(value), value.remaining()));
    }
    return records;
  }

  /** A batch of control records, which are there together or not at all. */
  private static ByteBuffer control(
      long baseOffset, int epoch, long nowMs, Consumer<MemoryRecordsBuilder> records) {
    ByteBuffer buffer = ByteBuffer.allocate(CONTROL_BYTES);
    MemoryRecordsBuilder builder =
        new MemoryRecordsBuilder(
            buffer,
            RecordBatch.MAGIC_VALUE_V2,
            Compression.NONE,
            TimestampType.CREATE_TIME,
            baseOffset,
            nowMs,
            RecordBatch.NO_PRODUCER_ID,
            RecordBatch.NO_PRODUCER_EPOCH,
            RecordBatch.NO_SEQUENCE,
            false,
            true,
            epoch,
            CONTROL_BYTES);
    records.accept(builder);
    return builder.build().buffer();
  }

  /**
   * The begin of a leader's epoch.
   *
   * @param voterDirectoryId not null in a log that does not name its voter yet
   */
  static ByteBuffer leaderChange(
      int nodeId, @Nullable Uuid voterDirectoryId, long baseOffset, int epoch, long nowMs) {
    // In version 0, which is what the library writes: a voter without its directory id.
    LeaderChangeMessage.Voter self = new LeaderChangeMessage.Voter().setVoterId(nodeId);
    LeaderChangeMessage message =
        new LeaderChangeMessage()
            .setVersion((short) 0)
            .setLeaderId(nodeId)
            .setVoters(List.of(self))
            .setGrantingVoters(List.of(self.duplicate()));
    return control(
        baseOffset,
        epoch,
        nowMs,
        records -> {
          records.appendLeaderChangeMessage(nowMs, message);
          if (voterDirectoryId != null) {
            appendVoter(records, nodeId, voterDirectoryId, nowMs);
          }
        });
  }

  /** A lone voter has no endpoint: there is nobody to be told of one. */
  private static void appendVoter(
      MemoryRecordsBuilder records, int nodeId, Uuid directoryId, long nowMs) {
    appendVoters(records, List.of(new QuorumVoter(nodeId, directoryId, null)), "", nowMs);
  }

  private static void appendVoters(
      MemoryRecordsBuilder records, List<QuorumVoter> voters, String listenerName, long nowMs) {
    records.appendKRaftVersionMessage(nowMs, new KRaftVersionRecord().setKRaftVersion((short) 1));
    records.appendVotersMessage(nowMs, voters(voters, listenerName));
  }

  /** The snapshot that a new cluster begins with: nothing but who votes. */
  static ByteBuffer bootstrapSnapshot(List<QuorumVoter> voters, String listenerName, long nowMs) {
    ByteBuffer header =
        control(
            0,
            0,
            nowMs,
            records -> {
              records.appendSnapshotHeaderMessage(nowMs, new SnapshotHeaderRecord());
              appendVoters(records, voters, listenerName, nowMs);
            });
    ByteBuffer footer = snapshotFooter(3, 0, nowMs);
    return ByteBuffer.allocate(header.remaining() + footer.remaining())
        .put(header)
        .put(footer)
        .flip();
  }

  static ByteBuffer snapshotHeader(
      int nodeId, Uuid directoryId, int epoch, long lastContainedMs, long nowMs) {
    return control(
        0,
        epoch,
        nowMs,
        records -> {
          records.appendSnapshotHeaderMessage(
              nowMs,
              new SnapshotHeaderRecord()
                  .setVersion((short) 0)
                  .setLastContainedLogTimestamp(lastContainedMs));
          appendVoter(records, nodeId, directoryId, nowMs);
        });
  }

  static ByteBuffer snapshotFooter(long offset, int epoch, long nowMs) {
    return control(
        offset,
        epoch,
        nowMs,
        records ->
            records.appendSnapshotFooterMessage(
                nowMs, new SnapshotFooterRecord().setVersion((short) 0)));
  }

  private static VotersRecord voters(List<QuorumVoter> voters, String listenerName) {
    VotersRecord record = new VotersRecord();
    for (QuorumVoter voter : voters) {
      VotersRecord.EndpointCollection endpoints = new VotersRecord.EndpointCollection();
      QuorumAddress address = voter.address();
      if (address != null) {
        endpoints.add(
            new VotersRecord.Endpoint()
                .setName(listenerName)
                .setHost(address.host())
                .setPort(address.port()));
      }
      record
          .voters()
          .add(
              new VotersRecord.Voter()
                  .setVoterId(voter.nodeId())
                  .setVoterDirectoryId(voter.directoryId())
                  .setEndpoints(endpoints)
                  .setKRaftVersionFeature(
                      new VotersRecord.KRaftVersionFeature()
                          .setMinSupportedVersion((short) 0)
                          .setMaxSupportedVersion((short) 1)));
    }
    return record;
  }

  /** The bytes of a slice, which is released. */
  static ByteBuffer copy(FileSlice slice) throws IOException {
    try {
      ByteBuffer bytes = ByteBuffer.allocate(slice.length());
      while (bytes.hasRemaining()) {
        if (slice.read(bytes, bytes.position()) <= 0) {
          throw new IOException("A file ended within " + slice.length() + " bytes that were there");
        }
      }
      return bytes.flip();
    } finally {
      slice.release();
    }
  }
}
