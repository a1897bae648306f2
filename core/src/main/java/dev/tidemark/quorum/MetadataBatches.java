package dev.tidemark.quorum;

import dev.tidemark.env.FileSlice;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.message.KRaftVersionRecord;
import org.apache.kafka.common.message.LeaderChangeMessage;
import org.apache.kafka.common.message.VotersRecord;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.ObjectSerializationCache;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MutableRecordBatch;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.metadata.MetadataRecordSerde;
import org.apache.kafka.raft.internals.BatchBuilder;
import org.apache.kafka.server.common.ApiMessageAndVersion;

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

  static void decode(String path, ByteBuffer batches, MetadataLog.Listener to) throws IOException {
    for (MutableRecordBatch batch : MemoryRecords.readableRecords(batches).batches()) {
      batch.ensureValid();
      if (batch.isControlBatch()) {
        continue;
      }
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
      to.onCommit(
          new MetadataBatch(
              batch.baseOffset(),
              batch.lastOffset(),
              batch.partitionLeaderEpoch(),
              batch.maxTimestamp(),
              records));
    }
  }

  /** In version 0, which is what the library writes: a voter without its directory id. */
  static ByteBuffer leaderChange(int nodeId, long baseOffset, int epoch, long nowMs) {
    LeaderChangeMessage.Voter self = new LeaderChangeMessage.Voter().setVoterId(nodeId);
    LeaderChangeMessage message =
        new LeaderChangeMessage()
            .setVersion((short) 0)
            .setLeaderId(nodeId)
            .setVoters(List.of(self))
            .setGrantingVoters(List.of(self.duplicate()));
    return MemoryRecords.withLeaderChangeMessage(
            baseOffset, nowMs, epoch, ByteBuffer.allocate(CONTROL_BYTES), message)
        .buffer();
  }

  static ByteBuffer kraftVersion(long baseOffset, int epoch, long nowMs) {
    KRaftVersionRecord message = new KRaftVersionRecord().setKRaftVersion((short) 1);
    return MemoryRecords.withKRaftVersionRecord(
            baseOffset, nowMs, epoch, ByteBuffer.allocate(CONTROL_BYTES), message)
        .buffer();
  }

  /** The voter has no endpoint: nobody else can be told of one while there is one node. */
  static ByteBuffer voters(int nodeId, Uuid directoryId, long baseOffset, int epoch, long nowMs) {
    VotersRecord message =
        new VotersRecord()
            .setVoters(
                List.of(
                    new VotersRecord.Voter()
                        .setVoterId(nodeId)
                        .setVoterDirectoryId(directoryId)
                        .setKRaftVersionFeature(
                            new VotersRecord.KRaftVersionFeature()
                                .setMinSupportedVersion((short) 0)
                                .setMaxSupportedVersion((short) 1))));
    return MemoryRecords.withVotersRecord(
            baseOffset, nowMs, epoch, ByteBuffer.allocate(CONTROL_BYTES), message)
        .buffer();
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
