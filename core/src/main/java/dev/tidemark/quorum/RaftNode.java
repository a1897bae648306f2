package dev.tidemark.quorum;

import dev.tidemark.env.Dialer;
import dev.tidemark.env.Directory;
import dev.tidemark.env.Shard;
import dev.tidemark.env.Timers;
import dev.tidemark.log.CorruptLog;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Random;
import java.util.function.Consumer;
import org.apache.kafka.common.errors.CorruptRecordException;
import org.apache.kafka.common.feature.SupportedVersionRange;
import org.apache.kafka.common.metrics.MetricConfig;
import org.apache.kafka.common.metrics.Metrics;
import org.apache.kafka.common.network.ListenerName;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.utils.internals.LogContext;
import org.apache.kafka.metadata.MetadataRecordSerde;
import org.apache.kafka.raft.Batch;
import org.apache.kafka.raft.BatchReader;
import org.apache.kafka.raft.KafkaRaftClient;
import org.apache.kafka.raft.LeaderAndEpoch;
import org.apache.kafka.raft.RaftClient;
import org.apache.kafka.raft.RaftRequest;
import org.apache.kafka.raft.SeededRaftClient;
import org.apache.kafka.server.common.ApiMessageAndVersion;
import org.apache.kafka.server.common.Feature;
import org.apache.kafka.server.common.OffsetAndEpoch;
import org.apache.kafka.snapshot.SnapshotReader;
import org.apache.kafka.snapshot.SnapshotWriter;
import org.jspecify.annotations.Nullable;

/**
 * One life of a raft client on the control shard: from the opening of its log to its close, or to
 * the failure of its disk. It drives the client: each turn polls it until it has nothing more to do
 * now, and a timer begins the next one. What the client says in a poll leaves when the poll has
 * returned, because only then is synced on what it rests.
 */
final class RaftNode {
  /** Polls in one turn; then the shard's other events get theirs. */
  private static final int MAX_POLLS = 64;

  /**
   * Raft asks to be polled again at once when its state has changed, and also, over and over, in
   * states in which it can only wait for an answer: after so many polls it gets a pause.
   */
  private static final int MAX_IDLE_POLLS = 8;

  private static final long PAUSE_MS = 10;

  private final Shard shard;
  private final Hearer hearer;
  private final MetadataRaftLog log;
  private final KafkaRaftClient<ApiMessageAndVersion> client;
  private final ListenerName listenerName;
  private final RaftOutbox outbox = new RaftOutbox();
  private final RaftInbox inbox = new RaftInbox(this::onNews);
  private final RaftChannel channel;
  private final Metrics metrics;
  private final QuorumTime time;
  private final HeardVoters voters;
  private Timers.@Nullable Timer timer;
  private @Nullable RuntimeException listenerFailure;
  private long requests;
  private int idlePolls;
  private boolean inTurn;
  private boolean turnQueued;
  private boolean turnFollows;
  private boolean over;

  /** Whom the node tells; within a turn, after each poll. */
  interface Hearer {
    void onBatch(MetadataBatch batch, int sizeInBytes);

    /** Only control records, which are raft's own. */
    void onControlBatch(long lastOffset, int epoch, long appendTimeMs);

    void onSnapshot(MetadataBatch everything);

    void onLeaderChange(Leadership leadership);

    /** Nothing more comes; the log is closed. */
    void onFailed(RuntimeException cause);
  }

  /** A node over an open log, which it closes in the end. Does nothing before {@link #start}. */
  RaftNode(
      QuorumSettings settings, MetadataRaftLog log, Shard shard, Dialer dialer, Hearer hearer) {
    this.shard = shard;
    this.hearer = hearer;
    this.log = log;
    this.listenerName = ListenerName.normalised(settings.listenerName());
    this.voters = new HeardVoters(listenerName);
    this.channel = new RaftChannel(dialer, shard.timers(), outbox, this::leaderAndEpoch, settings);
    this.time = new QuorumTime(shard.clock());
    this.metrics = new Metrics(new MetricConfig(), new ArrayList<>(), time);
    this.client =
        SeededRaftClient.create(
            settings.nodeId(),
            settings.directoryId(),
            settings.clusterId(),
            MetadataRecordSerde.INSTANCE,
            log,
            channel,
            inbox,
            new ShardExpiration(shard.timers(), this::releaseBetweenTurns),
            new BatchMemory(),
            time,
            new Random(shard.randomness().fork("raft").nextLong()),
            RaftSettings.bootstrapServers(settings),
            RaftSettings.listeners(settings),
            new SupportedVersionRange(
                Feature.KRAFT_VERSION.minimumProduction(),
                Feature.KRAFT_VERSION.latestProduction()),
            settings.canVote(),
            settings.timeouts().fetchMaxWaitMs(),
            new LogContext("[quorum node " + settings.nodeId() + "] "),
            RaftSettings.config(settings.timeouts()));
  }

  /** Takes part from now on; runs the first turn, in which a lone voter comes to lead. */
  void start(Directory folder) throws IOException {
    try {
      client.initialize(Map.of(), new ElectionStateStore(folder), metrics, ignored -> {});
    } catch (UncheckedIOException e) {
      throw e.getCause() == null ? new IOException(e) : e.getCause();
    } catch (CorruptRecordException e) {
      throw new CorruptLog(
          "%s is damaged below its last batches: %s; restore the folder from a copy"
              .formatted(folder.path(), e.getMessage()));
    }
    client.register(new Commits());
    turn();
  }

  // --- driving ---

  private void onNews() {
    if (!inTurn && !turnFollows && !turnQueued && !over) {
      turnQueued = true;
      shard.execute(
          () -> {
            turnQueued = false;
            turn();
          });
    }
  }

  /** Lets raft do what there is to do now; without effect within a turn, which goes on anyway. */
  void turn() {
    if (inTurn || over) {
      return;
    }
    inTurn = true;
    if (timer != null) {
      timer.cancel();
      timer = null;
    }
    try {
      int polls = 0;
      while (!over && poll()) {
        outbox.release();
        if (++polls == MAX_POLLS || !wantsPoll()) {
          break;
        }
      }
    } finally {
      inTurn = false;
    }
    if (!over) {
      timer = shard.timers().schedule(untilNextTurnMs(), this::turn);
    }
  }

  private boolean wantsPoll() {
    if (inbox.hasNews() || inbox.waitMs() > 0) {
      idlePolls = 0;
      return inbox.hasNews();
    }
    return ++idlePolls < MAX_IDLE_POLLS;
  }

  private long untilNextTurnMs() {
    if (inbox.hasNews()) {
      return 0;
    }
    return inbox.waitMs() > 0 ? Math.min(inbox.waitMs(), Integer.MAX_VALUE) : PAUSE_MS;
  }

  private boolean poll() {
    try {
      inbox.onPoll();
      client.poll();
      if (listenerFailure != null) {
        throw listenerFailure;
      }
      return true;
    } catch (RuntimeException e) {
      fail(e);
      return false;
    }
  }

  /** What a time-out led to; it rests on nothing that is not synced. */
  private void releaseBetweenTurns() {
    if (!inTurn && !over) {
      outbox.release();
    }
  }

  private void fail(RuntimeException cause) {
    if (!over) {
      end();
      try {
        log.close(false);
      } catch (IOException e) {
        cause.addSuppressed(e);
      }
      hearer.onFailed(cause);
    }
  }

  private void end() {
    over = true;
    outbox.drop();
    channel.close();
    metrics.close();
    if (timer != null) {
      timer.cancel();
    }
  }

  /** Leaves the quorum without a word and closes the log. */
  void close() throws IOException {
    if (!over) {
      end();
      log.close(true);
    }
  }

  // --- what the node is asked ---

  /**
   * A request of a peer. The answer comes once, possibly before this returns; never when this node
   * ends before.
   */
  void handle(short version, ApiMessage request, Consumer<ApiMessage> answer) {
    turnFollows = true;
    take(requests++, version, request, answer);
    turnFollows = false;
    turn();
  }

  private void take(long number, short version, ApiMessage request, Consumer<ApiMessage> answer) {
    var unused =
        client
            .handle(new RaftRequest.Inbound(listenerName, 0, version, request, time.milliseconds()))
            .whenComplete(
                (response, failure) -> {
                  if (response != null) {
                    outbox.answer(number, () -> answer.accept(response.data()));
                  } else {
                    Errors error = Errors.forException(failure);
                    outbox.answer(number, () -> answer.accept(RaftApis.refusal(request, error)));
                  }
                });
  }

  /**
   * Appends in an epoch; throws {@link org.apache.kafka.raft.errors.NotLeaderException} and what
   * Kafka throws for records that are too large. Returns the offset of the last record; they are
   * written in the next turn.
   */
  long append(int epoch, List<ApiMessageAndVersion> records) {
    turnFollows = true;
    try {
      long lastOffset = client.prepareAppend(epoch, records);
      client.schedulePreparedAppend();
      return lastOffset;
    } finally {
      turnFollows = false;
    }
  }

  void resign(int epoch) {
    client.resign(epoch);
  }

  @Nullable SnapshotWriter<ApiMessageAndVersion> createSnapshot(SnapshotId id, long lastTimeMs) {
    return client.createSnapshot(id.asOffsetAndEpoch(), lastTimeMs).orElse(null);
  }

  /** Drops what the newest snapshots stand for. */
  void shorten() {
    boolean unused = log.maybeClean();
  }

  MetadataRaftLog.Remains remains() {
    return log.remains();
  }

  LeaderAndEpoch leaderAndEpoch() {
    return client.leaderAndEpoch();
  }

  @Nullable QuorumAddress leaderAddress() {
    return SeededRaftClient.leaderAddress(client, listenerName)
        .map(address -> new QuorumAddress(address.getHostString(), address.getPort()))
        .orElse(null);
  }

  List<QuorumVoter> voters() {
    return voters.voters();
  }

  long highWatermark() {
    OptionalLong known = client.highWatermark();
    return known.orElse(log.highWatermark().offset());
  }

  long logEndOffset() {
    return log.endOffset().offset();
  }

  // --- what the node hears ---

  /** Kafka calls it within polls and within futures that swallow what is thrown. */
  private final class Commits implements RaftClient.Listener<ApiMessageAndVersion> {
    @Override
    public void handleCommit(BatchReader<ApiMessageAndVersion> reader) {
      guard(
          () -> {
            try (reader) {
              reader.forEachRemaining(RaftNode.this::tell);
            }
          });
    }

    @Override
    public void handleLoadSnapshot(SnapshotReader<ApiMessageAndVersion> reader) {
      guard(
          () -> {
            try (reader) {
              MetadataBatch all = everything(reader, voters);
              outbox.news(() -> hearer.onSnapshot(all));
            }
          });
    }

    /**
     * It says who votes, which is raft's own; the first leader appends what metadata begins with.
     */
    @Override
    public void handleLoadBootstrap(SnapshotReader<ApiMessageAndVersion> reader) {
      try (reader) {
        reader.forEachRemaining(voters::hear);
      }
    }

    @Override
    public void handleLeaderChange(LeaderAndEpoch now) {
      Leadership leadership =
          new Leadership(
              now.leaderId().orElse(Leadership.NONE),
              now.epoch(),
              client.nodeId().isPresent() && now.isLeader(client.nodeId().getAsInt()));
      outbox.news(() -> hearer.onLeaderChange(leadership));
    }

    private void guard(Runnable hearing) {
      try {
        hearing.run();
      } catch (RuntimeException e) {
        listenerFailure = e;
      }
    }
  }

  private void tell(Batch<ApiMessageAndVersion> batch) {
    voters.hear(batch);
    if (batch.records().isEmpty()) {
      outbox.news(
          () -> hearer.onControlBatch(batch.lastOffset(), batch.epoch(), batch.appendTimestamp()));
      return;
    }
    MetadataBatch told =
        new MetadataBatch(
            batch.baseOffset(),
            batch.lastOffset(),
            batch.epoch(),
            batch.appendTimestamp(),
            batch.records());
    outbox.news(() -> hearer.onBatch(told, batch.sizeInBytes()));
  }

  private static MetadataBatch everything(
      SnapshotReader<ApiMessageAndVersion> reader, HeardVoters voters) {
    OffsetAndEpoch id = reader.snapshotId();
    List<ApiMessageAndVersion> records = new ArrayList<>();
    reader.forEachRemaining(
        batch -> {
          voters.hear(batch);
          records.addAll(batch.records());
        });
    return new MetadataBatch(
        0, id.offset() - 1, id.epoch(), reader.lastContainedLogTimestamp(), records);
  }
}
