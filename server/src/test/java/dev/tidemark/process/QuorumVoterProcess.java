package dev.tidemark.process;

import dev.tidemark.quorum.Leadership;
import dev.tidemark.quorum.MetadataBatch;
import dev.tidemark.quorum.MetadataLog;
import dev.tidemark.quorum.QuorumAddress;
import dev.tidemark.quorum.QuorumConnection;
import dev.tidemark.quorum.QuorumSettings;
import dev.tidemark.quorum.QuorumTimeouts;
import dev.tidemark.quorum.RaftMetadataLog;
import dev.tidemark.quorum.SnapshotSettings;
import dev.tidemark.server.BackgroundPool;
import dev.tidemark.server.FileDirectory;
import dev.tidemark.server.NettyDialer;
import dev.tidemark.server.NettyIo;
import dev.tidemark.server.NettyListener;
import dev.tidemark.server.NettyShard;
import dev.tidemark.server.NetworkSettings;
import dev.tidemark.server.SecureRandomness;
import dev.tidemark.server.ShardNetwork;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.metadata.TopicRecord;
import org.apache.kafka.server.common.ApiMessageAndVersion;
import org.jspecify.annotations.Nullable;

/** A voter with a real thread, sockets and files; it says what it hears. */
final class QuorumVoterProcess implements MetadataLog.Listener {
  static final String LISTENER = "CONTROLLER";

  private final int id;
  private final Path folder;
  private final BlockingQueue<String> heard;
  private final BackgroundPool pool = new BackgroundPool(2);
  private final NettyShard shard;
  private final ShardNetwork inbound;
  private final ShardNetwork outbound;
  private final NettyDialer dialer;
  private final NettyListener listener;
  private final int port;
  private @Nullable RaftMetadataLog log;

  /**
   * A voter that listens and does not take part yet.
   *
   * @param port 0 for any
   */
  QuorumVoterProcess(int id, Path folder, int port, BlockingQueue<String> heard)
      throws IOException, InterruptedException {
    this.id = id;
    this.folder = folder;
    this.heard = heard;
    shard =
        new NettyShard(
            "control-" + id,
            NettyIo.choose(),
            pool,
            new SecureRandomness(),
            (name, failure) -> heard.add(name + " failed: " + failure));
    inbound = new ShardNetwork(shard, NetworkSettings.defaults());
    outbound = new ShardNetwork(shard, NetworkSettings.defaults());
    dialer = new NettyDialer(outbound);
    listener =
        new NettyListener(
            inbound,
            LISTENER,
            connection -> QuorumConnection.acceptor(log).onConnected(connection));
    this.port =
        listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port)).getPort();
  }

  int port() {
    return port;
  }

  static Uuid directoryId(int id) {
    return new Uuid(7, id);
  }

  FileDirectory folder() {
    return new FileDirectory(folder);
  }

  void start(List<QuorumAddress> all) throws Exception {
    QuorumSettings settings =
        new QuorumSettings(
            id,
            directoryId(id),
            "cluster",
            LISTENER,
            new QuorumAddress("127.0.0.1", port),
            all,
            true,
            new QuorumTimeouts(1000, 1000, 2000, 2000, 20, 500), // for slow machines
            SnapshotSettings.DEFAULTS);
    onShard(
        () -> {
          RaftMetadataLog started = new RaftMetadataLog(folder(), settings, shard, dialer);
          log = started;
          started.start(this);
        });
    listener.accept();
  }

  private interface Event {
    void run() throws Exception;
  }

  private void onShard(Event event) throws Exception {
    CompletableFuture<Boolean> done = new CompletableFuture<>();
    shard.execute(
        () -> {
          try {
            event.run();
            done.complete(true);
          } catch (Throwable e) {
            done.completeExceptionally(e);
          }
        });
    done.get(20, TimeUnit.SECONDS);
  }

  void append(String topic) throws Exception {
    onShard(
        () ->
            log.append(
                List.of(
                    new ApiMessageAndVersion(
                        new TopicRecord().setName(topic).setTopicId(new Uuid(0, topic.hashCode())),
                        (short) 0)),
                new MetadataLog.Completion() {
                  @Override
                  public void onCommitted(long lastOffset) {
                    heard.add("committed " + topic);
                  }

                  @Override
                  public void onFailed(Throwable cause) {
                    heard.add("not committed " + topic + ": " + cause);
                  }
                }));
  }

  @Override
  public void onCommit(MetadataBatch batch) {
    batch
        .records()
        .forEach(record -> heard.add(id + " hears " + ((TopicRecord) record.message()).name()));
  }

  @Override
  public void onLeaderChange(Leadership leadership) {
    if (leadership.isActive()) {
      heard.add(id + " is active");
    }
  }

  void stop() throws Exception {
    onShard(() -> log.close());
    listener.close();
    dialer.close();
    inbound.close();
    outbound.close();
    shard.stop();
    pool.stop();
  }
}
