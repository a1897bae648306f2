package dev.tidemark.quorum;

import java.io.IOException;
import java.util.List;
import java.util.function.Consumer;
import org.apache.kafka.image.writer.ImageWriter;
import org.apache.kafka.server.common.ApiMessageAndVersion;

/**
 * The log of cluster metadata. Owned by the control shard: all calls and all callbacks run there.
 * Not promised: that a record which was appended commits; its completion tells.
 */
public interface MetadataLog extends AutoCloseable {
  /**
   * Delivers the newest snapshot as one batch and every committed batch after it, then makes this
   * node the leader in a new epoch if it may be. Called once, before anything else.
   */
  void start(Listener listener) throws IOException;

  /**
   * Appends records that take effect together; at most {@link #MAX_RECORDS}. {@code completion}
   * comes after the listener was given the batch, possibly before this method returns.
   */
  void append(List<ApiMessageAndVersion> records, Completion completion);

  /** True when so much was committed since the last snapshot, or so long ago, that one is due. */
  boolean isSnapshotDue();

  /**
   * Replaces the log up to its end by a snapshot of what it led to. Blocks until that is durable.
   *
   * @param content writes every record that makes up the metadata as of the last committed batch;
   *     it may close the writer
   */
  void takeSnapshot(Consumer<ImageWriter> content) throws IOException;

  /** Facts for DescribeQuorum. */
  QuorumState state();

  @Override
  void close() throws IOException;

  /** Records per append. */
  int MAX_RECORDS = 20_000;

  /** Hears what is committed. */
  @FunctionalInterface
  interface Listener {
    void onCommit(MetadataBatch batch);
  }

  /** The end of one append. */
  interface Completion {
    /** The records are durable; {@code lastOffset} is that of the last one, inclusive. */
    void onCommitted(long lastOffset);

    /** The records are not in the log, or it is not known whether they will be. */
    void onFailed(Throwable cause);
  }
}
