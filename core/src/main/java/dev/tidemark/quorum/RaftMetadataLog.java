package dev.tidemark.quorum;

import dev.tidemark.env.Dialer;
import dev.tidemark.env.Directory;
import dev.tidemark.env.Shard;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.function.Consumer;
import org.apache.kafka.common.errors.NotControllerException;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.image.writer.ImageWriter;
import org.apache.kafka.raft.LeaderAndEpoch;
import org.apache.kafka.raft.errors.NotLeaderException;
import org.apache.kafka.server.common.ApiMessageAndVersion;
import org.apache.kafka.snapshot.SnapshotWriter;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The metadata log on kafka-raft: what a majority of the voters has synced is committed. Every node
 * has one, voter or observer.
 *
 * <p>When its disk fails, the node leaves the quorum: what is under way fails, the listener hears
 * that no leader is known, and the log is opened anew after a pause. The listener then gets what it
 * has not been given yet, and nothing twice.
 */
public final class RaftMetadataLog implements MetadataLog {
  private static final Logger LOG = LoggerFactory.getLogger(RaftMetadataLog.class);

  /** Opening reads the whole log, so a failing disk is not asked more often. */
  private static final long REOPEN_PAUSE_MS = 1000;

  private final QuorumSettings settings;
  private final Shard shard;
  private final Dialer dialer;
  private final Directory folder;
  private final PendingAppends pending = new PendingAppends();
  private final SnapshotDue snapshotDue;
  private @Nullable Listener listener;
  private @Nullable RaftNode node;
  private MetadataRaftLog.@Nullable Remains remains;
  private @Nullable Throwable failure;
  private Leadership leadership = Leadership.UNKNOWN;
  private long toldEndOffset;
  private int lastEpoch;
  private long lastTimeMs;
  private boolean closed;

  /**
   * A log that is not started.
   *
   * @param dataFolder the folder that holds the log's folder
   * @param shard the control shard
   * @param dialer calls the other nodes, on that shard
   */
  public RaftMetadataLog(
      Directory dataFolder, QuorumSettings settings, Shard shard, Dialer dialer) {
    this.settings = settings;
    this.shard = shard;
    this.dialer = dialer;
    this.folder = dataFolder.directory(SingleVoterLog.LOG_ID.folderName());
    this.snapshotDue = new SnapshotDue(settings.snapshots(), shard.clock());
  }

  @Override
  public void start(Listener hearer) throws IOException {
    if (listener != null) {
      throw new IllegalStateException("The metadata log was started before");
    }
    listener = hearer;
    startNode(MetadataRaftLog.open(folder, shard.clock()));
    if (node == null) { // its disk failed meanwhile; who starts a node wants to know at once
      closed = true;
      throw new IOException(notThere());
    }
  }

  private void startNode(MetadataRaftLog log) throws IOException {
    RaftNode started = new RaftNode(settings, log, shard, dialer, new Heard());
    node = started;
    try {
      started.start(folder);
    } catch (IOException | RuntimeException e) {
      node = null;
      log.close(false);
      throw e;
    }
  }

  /** What raft answers itself: requests of peers, and some of clients. */
  public static List<ApiKeys> handled() {
    return RaftApis.ANSWERED;
  }

  /**
   * Hands a request of a peer, or of a client, to raft: one of {@link #handled}.
   *
   * @param answer gets the response, possibly before this returns; nothing when this node leaves
   *     the quorum before
   */
  public void handle(short version, ApiMessage request, Consumer<ApiMessage> answer) {
    RaftNode current = node;
    if (current == null) {
      answer.accept(RaftApis.refusal(request, Errors.BROKER_NOT_AVAILABLE));
    } else {
      current.handle(version, request, answer);
    }
  }

  @Override
  public void append(List<ApiMessageAndVersion> records, Completion completion) {
    RaftNode current = node;
    if (current == null) {
      completion.onFailed(notThere());
      return;
    }
    if (!leadership.isActive()) {
      completion.onFailed(notActive());
      return;
    }
    try {
      long lastOffset = current.append(leadership.epoch(), records);
      pending.add(lastOffset, leadership.epoch(), completion);
    } catch (NotLeaderException e) {
      completion.onFailed(notActive());
      return;
    } catch (RuntimeException e) {
      completion.onFailed(new IOException("Metadata records were refused: " + e.getMessage(), e));
      return;
    }
    current.turn();
  }

  private Exception notThere() {
    if (listener == null || closed) {
      return new IllegalStateException("The metadata log is not open");
    }
    Throwable cause = failure;
    return new IOException(
        "the metadata log failed a moment ago: " + (cause == null ? "" : cause.getMessage()),
        cause);
  }

  private NotControllerException notActive() {
    return new NotControllerException(
        leadership.leaderId() == Leadership.NONE
            ? "No active controller is known in epoch " + leadership.epoch()
            : "The active controller is node "
                + leadership.leaderId()
                + " in epoch "
                + leadership.epoch());
  }

  @Override
  public boolean tellsAllAtStart() {
    return false;
  }

  @Override
  public @Nullable QuorumAddress leaderAddress() {
    RaftNode current = node;
    return current == null ? null : current.leaderAddress();
  }

  /** Who votes, by id, as far as it has committed here; empty before anything has. */
  public List<QuorumVoter> voters() {
    RaftNode current = node;
    return current == null ? List.of() : current.voters();
  }

  @Override
  public void resign() {
    RaftNode current = node;
    if (current != null && leadership.isActive()) {
      LeaderAndEpoch now = current.leaderAndEpoch();
      if (now.isLeader(settings.nodeId())) {
        current.resign(now.epoch());
        current.turn();
      }
    }
  }

  // --- what is told ---

  /** Skips what was told before the log was opened again. */
  private final class Heard implements RaftNode.Hearer {
    @Override
    public void onBatch(MetadataBatch batch, int sizeInBytes) {
      if (isNews(batch.lastOffset(), batch.epoch(), batch.appendTimeMs())) {
        snapshotDue.add(sizeInBytes, batch.appendTimeMs());
        told().onCommit(batch);
        pending.onCommitted(batch.lastOffset(), batch.epoch());
      }
    }

    @Override
    public void onControlBatch(long lastOffset, int epoch, long appendTimeMs) {
      boolean unused = isNews(lastOffset, epoch, appendTimeMs);
    }

    @Override
    public void onSnapshot(MetadataBatch everything) {
      if (isNews(everything.lastOffset(), everything.epoch(), everything.appendTimeMs())) {
        snapshotDue.onTaken();
        told().onSnapshot(everything);
      }
    }

    private boolean isNews(long lastOffset, int epoch, long appendTimeMs) {
      if (lastOffset < toldEndOffset) {
        return false;
      }
      toldEndOffset = lastOffset + 1;
      lastEpoch = epoch;
      lastTimeMs = appendTimeMs;
      return true;
    }

    @Override
    public void onLeaderChange(Leadership now) {
      leadership = now;
      pending.failAll(notActive());
      told().onLeaderChange(now);
    }

    @Override
    public void onFailed(RuntimeException cause) {
      RaftNode failed = node;
      node = null;
      failure =
          cause instanceof UncheckedIOException wrapped && wrapped.getCause() != null
              ? wrapped.getCause()
              : cause;
      remains = failed == null ? null : failed.remains();
      LOG.error("The metadata log failed; it is opened again", cause);
      leadership = new Leadership(Leadership.NONE, leadership.epoch(), false);
      pending.failAll(failure);
      told().onLeaderChange(leadership);
      reopenLater();
    }
  }

  private Listener told() {
    Listener hearer = listener;
    if (hearer == null) {
      throw new IllegalStateException("The metadata log is not started");
    }
    return hearer;
  }

  private void reopenLater() {
    var unused = shard.timers().schedule(REOPEN_PAUSE_MS, this::reopen);
  }

  private void reopen() {
    MetadataRaftLog.Remains left = remains;
    if (closed || node != null || left == null) {
      return;
    }
    try {
      startNode(MetadataRaftLog.reopen(folder, left, shard.clock()));
      LOG.warn("The metadata log takes part in the quorum again");
      failure = null;
    } catch (IOException | RuntimeException e) {
      failure = e;
      LOG.error("The metadata log cannot be opened; it is tried again: {}", e.getMessage());
      reopenLater();
    }
  }

  // --- snapshots ---

  @Override
  public boolean isSnapshotDue() {
    return node != null && snapshotDue.isDue();
  }

  @Override
  public void takeSnapshot(Consumer<ImageWriter> content) throws IOException {
    RaftNode current = node;
    if (current == null) {
      throw new IOException(notThere());
    }
    snapshotDue.onTry();
    SnapshotId id = new SnapshotId(toldEndOffset, lastEpoch);
    try {
      SnapshotWriter<ApiMessageAndVersion> writer = current.createSnapshot(id, lastTimeMs);
      if (writer != null) {
        writeSnapshot(content, writer);
        LOG.info("Wrote {} of the metadata log", id.fileName());
      }
      snapshotDue.onTaken();
      current.shorten();
    } catch (UncheckedIOException e) {
      throw e.getCause() == null ? new IOException(e) : e.getCause();
    }
  }

  private static void writeSnapshot(
      Consumer<ImageWriter> content, SnapshotWriter<ApiMessageAndVersion> writer) {
    ImageSnapshot snapshot = new ImageSnapshot(writer);
    boolean written = false;
    try {
      content.accept(snapshot);
      written = true;
    } finally {
      snapshot.close(written); // Kafka's images have closed it
    }
  }

  // --- facts, the end ---

  @Override
  public QuorumState state() {
    RaftNode current = node;
    if (current == null) {
      return new QuorumState(
          Leadership.NONE,
          leadership.epoch(),
          settings.directoryId(),
          toldEndOffset,
          toldEndOffset);
    }
    LeaderAndEpoch now = current.leaderAndEpoch();
    return new QuorumState(
        now.leaderId().orElse(Leadership.NONE),
        now.epoch(),
        settings.directoryId(),
        current.highWatermark(),
        current.logEndOffset());
  }

  @Override
  public void close() throws IOException {
    closed = true;
    RaftNode current = node;
    node = null;
    if (current != null) {
      current.close();
    }
  }
}
