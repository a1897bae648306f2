package dev.tidemark.quorum;

import java.util.List;
import org.apache.kafka.server.common.ApiMessageAndVersion;

/**
 * Committed metadata records that take effect together.
 *
 * @param baseOffset offset of the first record
 * @param lastOffset offset of the last record, inclusive
 * @param epoch the epoch of the leader that wrote them
 * @param appendTimeMs when they were written, wall clock
 */
public record MetadataBatch(
    long baseOffset,
    long lastOffset,
    int epoch,
    long appendTimeMs,
    List<ApiMessageAndVersion> records) {
  public MetadataBatch {
    records = List.copyOf(records);
  }
}
