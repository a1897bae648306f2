package dev.tidemark.quorum;

import dev.tidemark.env.Directory;
import dev.tidemark.sim.SimNode;
import dev.tidemark.sim.SimShard;
import dev.tidemark.sim.VirtualDialer;
import dev.tidemark.sim.VirtualNetwork;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.metadata.TopicRecord;
import org.apache.kafka.server.common.ApiMessageAndVersion;
import org.jspecify.annotations.Nullable;

/**
 * A node of the quorum on a simulated machine. Its state machine is as simple as can be: the names
 * of the topics, in the order in which they came.
 */
final class QuorumMember implements MetadataLog.Listener {
  static final int PORT = 9093;
  static final String LISTENER = "CONTROLLER";

  private final SimNode machine;
  private final VirtualNetwork network;
  private final QuorumSettings settings;
  private final QuorumTruth truth;
  private final List<String> topics = new ArrayList<>();
  private final List<Leadership> heard = new ArrayList<>();
  private @Nullable RaftMetadataLog log;
  private @Nullable SimShard shard;
  private boolean couldNotStart;
  private int snapshotsTaken;
  private int snapshotsFailed;
  private int snapshotsHeard;

  QuorumMember(
      SimNode machine, VirtualNetwork network, QuorumSettings settings, QuorumTruth truth) {
    this.truth = truth;
    this.machine = machine;
    this.network = network;
    this.settings = settings;
  }

  static Uuid directoryId(int nodeId) {
    return new Uuid(7, nodeId);
  }

  int id() {
    return settings.nodeId();
  }

  SimNode machine() {
    return machine;
  }

  String host() {
    return machine.host();
  }

  Directory folder() {
    return machine.disk().root().directory("data");
  }

  boolean isRunning() {
    return log != null;
  }

  RaftMetadataLog log() {
    if (log == null) {
      throw new IllegalStateException("node " + id() + " does not run");
    }
    return log;
  }

  /** The names it was told of in this life. */
  List<String> topics() {
    return topics;
  }

  /** The leaders it was told of in this life. */
  List<Leadership> heard() {
    return heard;
  }

  boolean isActive() {
    return log != null && !heard.isEmpty() && heard.get(heard.size() - 1).isActive();
  }

  /** True when its process ended because its disk failed at the start. */
  boolean couldNotStart() {
    return couldNotStart;
  }

  int snapshotsTaken() {
    return snapshotsTaken;
  }

  int snapshotsFailed() {
    return snapshotsFailed;
  }

  int snapshotsHeard() {
    return snapshotsHeard;
  }

  /** Starts a process, as an event of its control shard. */
  void start() {
    topics.clear();
    heard.clear();
    couldNotStart = false;
    SimShard control = machine.newShard("control");
    RaftMetadataLog started =
        new RaftMetadataLog(folder(), settings, control, new VirtualDialer(control));
    shard = control;
    log = started;
    control.execute(
        () -> {
          network.listen(control, PORT, LISTENER, QuorumConnection.acceptor(started));
          try {
            started.start(this);
          } catch (IOException e) {
            couldNotStart = true;
            machine.exited(); // as a process does that cannot start
            log = null;
          }
        });
  }

  void kill() {
    machine.kill();
    log = null;
  }

  void powerLoss() {
    machine.powerLoss();
    log = null;
  }

  /** Runs something on its control shard; dropped if it dies before. */
  void run(Runnable event) {
    if (shard != null) {
      shard.execute(event);
    }
  }

  /** Asks it, as the active controller or not, to add a topic. */
  void append(String topic, MetadataLog.Completion completion) {
    run(() -> log().append(List.of(record(topic)), completion));
  }

  static ApiMessageAndVersion record(String topic) {
    return new ApiMessageAndVersion(
        new TopicRecord().setName(topic).setTopicId(new Uuid(0, topic.hashCode())), (short) 0);
  }

  private static List<String> names(MetadataBatch batch) {
    return batch.records().stream().map(record -> ((TopicRecord) record.message()).name()).toList();
  }

  @Override
  public void onCommit(MetadataBatch batch) {
    truth.onCommit(id(), batch, names(batch));
    topics.addAll(names(batch));
    if (log().isSnapshotDue()) {
      takeSnapshot();
    }
  }

  private void takeSnapshot() {
    List<String> now = List.copyOf(topics);
    snapshotsTaken++;
    try {
      log()
          .takeSnapshot(
              to -> {
                now.forEach(topic -> to.write(record(topic)));
                to.close(true); // as Kafka's images do
              });
    } catch (IOException e) {
      snapshotsFailed++; // the next one is tried later
    }
  }

  @Override
  public void onSnapshot(MetadataBatch everything) {
    topics.clear();
    topics.addAll(names(everything));
    truth.onSnapshot(id(), everything.lastOffset(), topics);
    snapshotsHeard++;
  }

  @Override
  public void onLeaderChange(Leadership leadership) {
    heard.add(leadership);
    truth.onLeaderChange(id(), leadership);
  }
}
