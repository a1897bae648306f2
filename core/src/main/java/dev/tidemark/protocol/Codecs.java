package dev.tidemark.protocol;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.record.internal.CompressionType;
import org.apache.kafka.common.utils.internals.BufferSupplier;

/** The compression codecs of record batches. */
final class Codecs {
  static final int HIGHEST_ID = 4;
  static final int SNAPPY_ID = 2;

  /** Work buffers of the codecs are kept per thread: they are used within one call only. */
  private static final ThreadLocal<BufferSupplier> BUFFERS =
      ThreadLocal.withInitial(BufferSupplier::create);

  private Codecs() {}

  /** The id in a batch's attributes for a topic's compression.type; -1 for "producer". */
  static int idOf(String compressionType) {
    return switch (compressionType) {
      case "producer" -> -1;
      case "uncompressed", "none" -> CompressionType.NONE.id;
      default -> CompressionType.forName(compressionType).id;
    };
  }

  static InputStream inflate(int id, ByteBuffer payload) {
    Compression codec = Compression.of(CompressionType.forId(id)).build();
    return codec.wrapForInput(payload, BatchHeader.MAGIC_V2, BUFFERS.get());
  }

  static BufferSupplier buffers() {
    return BUFFERS.get();
  }

  /** The codec for a topic with these settings. */
  static Compression codec(BatchRules rules) {
    return switch (CompressionType.forId(rules.compressionId())) {
      case NONE -> Compression.NONE;
      case GZIP -> Compression.gzip().level(rules.gzipLevel()).build();
      case SNAPPY -> Compression.snappy().build();
      case LZ4 -> Compression.lz4().level(rules.lz4Level()).build();
      case ZSTD -> Compression.zstd().level(rules.zstdLevel()).build();
    };
  }

  static void close(InputStream stream) {
    try {
      stream.close();
    } catch (IOException e) {
      throw new UncheckedIOException("Closing a decompressor over memory failed", e);
    }
  }
}
