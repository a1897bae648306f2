package dev.tidemark.differential;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32C;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.CompressionType;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MemoryRecordsBuilder;
import org.apache.kafka.common.record.internal.MutableRecordBatch;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.record.internal.RecordBatch;

/**
 * Record batches from and to JSON. A batch is {@code {values: ['a'], producerId: 1, epoch: 0,
 * sequence: 0, ...}}; {@code poke: {at: 17, hex: 'ff'}} overwrites bytes of the finished batch,
 * {@code sum: true} makes its checksum right again, {@code cut: n} takes bytes off its end.
 */
final class BatchJson {
  private static final int CRC_AT = 17;
  private static final int CHECKED_FROM = 21;
  private static final long NOW = -2;

  private BatchJson() {}

  /** One batch, or an array of them. */
  static MemoryRecords records(JsonNode node) {
    if (node.has("hex")) {
      return MemoryRecords.readableRecords(
          ByteBuffer.wrap(MessageJson.bytes("hex:" + node.get("hex").asText())));
    }
    if (!node.isArray()) {
      return MemoryRecords.readableRecords(batch(node));
    }
    ByteBuffer all = ByteBuffer.allocate(4 << 20);
    node.forEach(one -> all.put(batch(one)));
    return MemoryRecords.readableRecords(all.flip());
  }

  private static ByteBuffer batch(JsonNode node) {
    byte magic = (byte) node.path("magic").asInt(RecordBatch.CURRENT_MAGIC_VALUE);
    long timestamp = node.path("timestamp").asLong(NOW);
    if (timestamp == NOW) {
      timestamp = System.currentTimeMillis();
    }
    MemoryRecordsBuilder builder =
        new MemoryRecordsBuilder(
            ByteBuffer.allocate(1 << 12),
            magic,
            Compression.of(node.path("compression").asText("none")).build(),
            TimestampType.forName(node.path("timestampType").asText("CreateTime")),
            node.path("baseOffset").asLong(0),
            timestamp,
            node.path("producerId").asLong(RecordBatch.NO_PRODUCER_ID),
            (short) node.path("epoch").asInt(RecordBatch.NO_PRODUCER_EPOCH),
            node.path("sequence").asInt(RecordBatch.NO_SEQUENCE),
            node.path("transactional").asBoolean(false),
            false,
            node.path("leaderEpoch").asInt(RecordBatch.NO_PARTITION_LEADER_EPOCH),
            1 << 30);
    byte[] key = node.has("key") ? MessageJson.bytes(node.get("key").asText()) : null;
    for (JsonNode value : node.path("values")) {
      append(builder, magic, timestamp, key, value);
    }
    return spoil(builder.build().buffer(), node);
  }

  private static void append(
      MemoryRecordsBuilder builder, byte magic, long timestamp, byte[] key, JsonNode value) {
    byte[] bytes =
        value.isNull()
            ? null
            : value.isNumber()
                ? new byte[value.asInt()]
                : value.asText().getBytes(StandardCharsets.UTF_8);
    if (magic < RecordBatch.MAGIC_VALUE_V2) {
      builder.append(timestamp, key, bytes);
    } else {
      builder.append(timestamp, key, bytes, new Header[0]);
    }
  }

  private static ByteBuffer spoil(ByteBuffer built, JsonNode node) {
    byte[] bytes = new byte[built.remaining()];
    built.duplicate().get(bytes);
    JsonNode pokes = node.path("poke");
    for (JsonNode poke : pokes.isArray() ? pokes : MessageJson.array(pokes)) {
      byte[] with = MessageJson.bytes("hex:" + poke.get("hex").asText());
      System.arraycopy(with, 0, bytes, poke.get("at").asInt(), with.length);
    }
    if (node.path("sum").asBoolean(false)) {
      CRC32C crc = new CRC32C();
      crc.update(bytes, CHECKED_FROM, bytes.length - CHECKED_FROM);
      ByteBuffer.wrap(bytes).putInt(CRC_AT, (int) crc.getValue());
    }
    return ByteBuffer.wrap(bytes, 0, bytes.length - node.path("cut").asInt(0)).slice();
  }

  /** What a Fetch answer holds: its batches with their records. */
  static void describe(MemoryRecords records, ArrayNode target) {
    for (MutableRecordBatch batch : records.batches()) {
      ObjectNode one = target.addObject();
      one.put("baseOffset", batch.baseOffset());
      one.put("lastOffset", batch.lastOffset());
      one.put("leaderEpoch", batch.partitionLeaderEpoch());
      one.put("magic", batch.magic());
      one.put("compression", CompressionType.forId(batch.compressionType().id).name);
      one.put("timestampType", batch.timestampType().name);
      one.put("maxTimestamp", batch.maxTimestamp());
      one.put("producerId", batch.producerId());
      one.put("producerEpoch", batch.producerEpoch());
      one.put("baseSequence", batch.baseSequence());
      one.put("transactional", batch.isTransactional());
      one.put("control", batch.isControlBatch());
      ArrayNode values = one.putArray("values");
      for (Record record : batch) {
        values.add(
            record.value() == null
                ? null
                : StandardCharsets.UTF_8.decode(record.value()).toString());
      }
    }
  }
}
