package dev.tidemark.quorum;

import java.io.IOException;
import java.util.List;
import java.util.function.Consumer;
import org.apache.kafka.image.writer.ImageWriter;
import org.apache.kafka.server.common.ApiMessageAndVersion;
import org.jspecify.annotations.Nullable;

/**
 * The log of cluster metadata. Owned by the control shard: all calls and all callbacks run there.
 * Not promised: that a record which was appended commits; its completion tells.
 */
public interface MetadataLog extends AutoCloseable {
  /**
   * Takes part in the quorum from now on. The listener gets the newest snapshot as one batch and
   * every committed batch after it, in their order; a log with one voter delivers all that it holds
   * and leads before this returns. Called once, before anything else.
   */
  void start(Listener listener) throws IOException;

  /**
   * Appends records that take effect together; at most {@link #MAX_RECORDS}. Refused unless the
   * listener was told last that this node is active, and when it no longer is: {@code completion}
   * gets a {@link org.apache.kafka.common.errors.NotControllerException} then. The completion comes
   * after the listener was given the batch, possibly before this method returns.
   */
  void append(List<ApiMessageAndVersion> records, Completion completion);

  /**
   * True when {@link #start} has told the listener all that is committed. A log with other voters
   * learns only later what of it is.
   */
  default boolean tellsAllAtStart() {
    return true;
  }

  /** Where the leader is called; null when it is not known, or nobody calls it. */
  default @Nullable QuorumAddress leaderAddress() {
    return null;
  }

  /**
   * Gives leadership up, so that another voter takes over without waiting for a time-out; without
   * effect on a node that does not lead, and on a log that knows no other voter.
   */
  default void resign() {}

  /** True when so much was committed since the last snapshot, or so long ago, that one is due. */
  boolean isSnapshotDue();

  /**
   * Replaces the log up to the last batch that the listener was given by a snapshot of what it led
   * to. Blocks until that is durable.
   *
   * @param content writes every record that makes up the metadata as of that batch; it may close
   *     the writer
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

    /**
     * All metadata as of an offset, in place of all that was told before: at a start, and when this
     * node was so far behind that the records between are gone. The default is right for who hears
     * of one at a start only.
     */
    default void onSnapshot(MetadataBatch everything) {
      onCommit(everything);
    }

    /** Another leader, another epoch, or none is known; all appends under way have failed. */
    default void onLeaderChange(Leadership leadership) {}
  }

  /** The end of one append. */
  interface Completion {
    /** The records are durable; {@code lastOffset} is that of the last one, inclusive. */
    void onCommitted(long lastOffset);

    /** The records are not in the log, or it is not known whether they will be. */
    void onFailed(Throwable cause);
  }
}
