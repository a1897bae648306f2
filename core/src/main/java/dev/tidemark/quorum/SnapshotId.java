package dev.tidemark.quorum;

import org.apache.kafka.server.common.OffsetAndEpoch;
import org.jspecify.annotations.Nullable;

/**
 * What a snapshot of the metadata log holds: all below an end offset, the last of it written in an
 * epoch. Its file is named by the two, as Kafka does.
 */
record SnapshotId(long endOffset, int epoch) implements Comparable<SnapshotId> {
  static final String SUFFIX = ".checkpoint";

  /** Of a snapshot that is being written. */
  static final String PART_SUFFIX = SUFFIX + ".part";

  private static final int OFFSET_DIGITS = 20;
  private static final int EPOCH_DIGITS = 10;

  String fileName() {
    return "%020d-%010d%s".formatted(endOffset, epoch, SUFFIX);
  }

  /** The name of its file while it is written. */
  String partName() {
    return "%020d-%010d%s".formatted(endOffset, epoch, PART_SUFFIX);
  }

  static SnapshotId of(OffsetAndEpoch id) {
    return new SnapshotId(id.offset(), id.epoch());
  }

  OffsetAndEpoch asOffsetAndEpoch() {
    return new OffsetAndEpoch(endOffset, epoch);
  }

  /** The snapshot that a file of this name holds; null when it is no such name. */
  static @Nullable SnapshotId parse(String fileName) {
    if (fileName.length() != OFFSET_DIGITS + 1 + EPOCH_DIGITS + SUFFIX.length()
        || !fileName.endsWith(SUFFIX)
        || fileName.charAt(OFFSET_DIGITS) != '-') {
      return null;
    }
    try {
      return new SnapshotId(
          Long.parseLong(fileName.substring(0, OFFSET_DIGITS)),
          Integer.parseInt(
              fileName.substring(OFFSET_DIGITS + 1, OFFSET_DIGITS + 1 + EPOCH_DIGITS)));
    } catch (NumberFormatException e) {
      return null;
    }
  }

  @Override
  public int compareTo(SnapshotId other) {
    int byOffset = Long.compare(endOffset, other.endOffset);
    return byOffset != 0 ? byOffset : Integer.compare(epoch, other.epoch);
  }
}
