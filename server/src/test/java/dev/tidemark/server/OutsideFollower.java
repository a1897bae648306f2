package dev.tidemark.server;

import dev.tidemark.broker.replication.ClusterReplication;
import dev.tidemark.broker.replication.ReplicationSettings;
import dev.tidemark.env.Directory;
import dev.tidemark.log.LogId;
import dev.tidemark.log.LogOpening;
import dev.tidemark.log.LogSettings;
import dev.tidemark.log.PartitionLog;
import dev.tidemark.metadata.ForeignBroker;
import dev.tidemark.metadata.MetadataView;
import dev.tidemark.replica.CommittedPartition;
import dev.tidemark.replica.HostedReplica;
import dev.tidemark.replica.LagRule;
import dev.tidemark.replica.fetch.FetcherSettings;
import dev.tidemark.replica.fetch.QuotaWindow;
import dev.tidemark.replica.fetch.ServingSettings;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * The shipped follower of one partition, with all that fetches for it, of a broker that is in no
 * cluster of ours: its id is -1, so that it fetches as a consumer does and gets what is committed.
 */
public final class OutsideFollower implements AutoCloseable {
  private static final int OUTSIDER = -1;
  private static final String LISTENER = "PLAINTEXT";
  private static final long LOOK_MS = 20;
  private static final int TIMEOUT_SECONDS = 60;

  private final CompletableFuture<Void> failure = new CompletableFuture<>();
  private final BackgroundPool pool = new BackgroundPool(2);
  private final NettyShard shard =
      new NettyShard(
          "shard-0",
          NettyIo.choose(),
          pool,
          new SecureRandomness(),
          (name, cause) -> failure.completeExceptionally(cause));
  private final ShardNetwork network = new ShardNetwork(shard, NetworkSettings.defaults());
  private final NettyDialer dialer = new NettyDialer(network);
  private final MetadataView view = new MetadataView();
  private final ClusterReplication replication;
  private final HostedReplica replica;
  private final PartitionLog log;

  /**
   * Opens a log in {@code folder}, which is to be empty.
   *
   * @param fetchBytes so much is asked for at a time
   */
  public OutsideFollower(Path folder, LogId id, int fetchBytes) throws Exception {
    Directory directory = new FileDirectory(folder);
    log =
        PartitionLog.open(
            id, directory, LogSettings.defaults(), LogOpening.unknown(), shard.clock());
    replication =
        new ClusterReplication(
            OUTSIDER,
            shard,
            view,
            dialer,
            (api, request, timeoutMs, answer) -> {
              throw new IllegalStateException("a follower asks no controller: " + api);
            },
            () -> -1,
            new ReplicationSettings(
                LISTENER,
                new FetcherSettings(100, 1, fetchBytes, fetchBytes, 50, 10_000),
                ServingSettings.defaults(),
                QuotaWindow.defaults(),
                LagRule.defaults(),
                5_000,
                1 << 20));
    replica =
        new HostedReplica(
            log,
            0,
            replication.context(shard.background(), (changed, endOffset) -> {}),
            replication.followers());
  }

  /** Follows broker {@code leader}, which leads in {@code epoch} and is at that port. */
  public void follow(int leader, int port, int epoch) throws Exception {
    var unused =
        onShard(
            () -> {
              ForeignBroker.publish(view, leader, LISTENER, port);
              List<Integer> itself = List.of(leader);
              return replica.apply(new CommittedPartition(leader, epoch, epoch, itself, itself), 1);
            });
  }

  /** Appends what no leader ever sent, as a former one may have done that is gone since. */
  public void appendOwn(ByteBuffer batch) throws Exception {
    var unused = onShard(() -> log.appendReplicated(batch));
  }

  public long endOffset() throws Exception {
    return onShard(log::logEndOffset);
  }

  /** Waits until its log ends there and all of it is committed. */
  public void awaitEnd(long endOffset) throws Exception {
    CompletableFuture<Void> reached = new CompletableFuture<>();
    shard.execute(() -> look(endOffset, reached));
    try {
      CompletableFuture.anyOf(reached, failure).get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      throw new AssertionError("it ends at " + endOffset() + ", not at " + endOffset, e);
    }
  }

  private void look(long endOffset, CompletableFuture<Void> reached) {
    if (log.logEndOffset() == endOffset && replica.highWatermark() == endOffset) {
      reached.complete(null);
    } else {
      shard.timers().schedule(LOOK_MS, () -> look(endOffset, reached));
    }
  }

  private <T> T onShard(Callable<T> action)
      throws InterruptedException, ExecutionException, TimeoutException {
    CompletableFuture<T> done = new CompletableFuture<>();
    shard.execute(
        () -> {
          try {
            done.complete(action.call());
          } catch (Exception e) {
            done.completeExceptionally(e);
          }
        });
    return done.get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
  }

  /** Closes the log in order; its files stay. */
  @Override
  public void close() throws IOException {
    try {
      stop();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException e) {
      throw new IOException(e);
    }
  }

  private void stop() throws InterruptedException, ExecutionException, TimeoutException {
    try {
      boolean unused =
          onShard(
              () -> {
                replication.stop();
                replica.stop();
                log.flushAndWait();
                log.close(true);
                return true;
              });
    } finally {
      dialer.close();
      network.close();
      pool.stop();
      shard.stop();
    }
  }
}
