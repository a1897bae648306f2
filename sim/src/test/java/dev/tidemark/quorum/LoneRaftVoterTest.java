package dev.tidemark.quorum;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tidemark.env.Directory;
import dev.tidemark.env.Shard;
import dev.tidemark.log.AppendOrigin;
import dev.tidemark.log.CorruptLog;
import dev.tidemark.log.LogOpening;
import dev.tidemark.log.LogSettings;
import dev.tidemark.log.PartitionLog;
import dev.tidemark.protocol.BatchHeader;
import dev.tidemark.sim.DiskFaults.Change;
import dev.tidemark.sim.DiskFaults.PowerWentOff;
import dev.tidemark.sim.Scheduler;
import dev.tidemark.sim.SimNode;
import dev.tidemark.sim.SimShard;
import dev.tidemark.sim.Trace;
import dev.tidemark.sim.VirtualClock;
import dev.tidemark.sim.VirtualDialer;
import dev.tidemark.sim.VirtualNetwork;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.metadata.TopicRecord;
import org.apache.kafka.server.common.ApiMessageAndVersion;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** One voter: it does at once what a quorum does in time. */
class LoneRaftVoterTest {
  private static final long WALL_MS = 1_700_000_000_000L;

  private final Scheduler scheduler = new Scheduler(new Trace(null));
  private final VirtualNetwork network = new VirtualNetwork(scheduler, 1);
  private SimNode machine = new SimNode("n1", network, 1, WALL_MS, 0);

  /** One run of a process, in events of its control shard. */
  private final class Life implements MetadataLog.Listener {
    private final List<String> topics = new ArrayList<>();
    private final List<Leadership> heard = new ArrayList<>();
    private final SimShard shard = machine.newShard("control");
    private final RaftMetadataLog log;
    private int batches;

    Life() throws IOException {
      this(SnapshotSettings.DEFAULTS);
    }

    Life(SnapshotSettings snapshots) throws IOException {
      QuorumSettings settings =
          new QuorumSettings(
              1,
              QuorumMember.directoryId(1),
              "cluster",
              QuorumMember.LISTENER,
              null,
              List.of(),
              true,
              QuorumTimeouts.DEFAULTS,
              snapshots);
      log =
          new RaftMetadataLog(
              machine.disk().root(), settings, (Shard) shard, new VirtualDialer(shard));
      log.start(this);
    }

    @Override
    public void onCommit(MetadataBatch batch) {
      batches++;
      for (ApiMessageAndVersion record : batch.records()) {
        topics.add(((TopicRecord) record.message()).name());
      }
      if (log.isSnapshotDue()) {
        takeSnapshot();
      }
    }

    private void takeSnapshot() {
      List<String> now = List.copyOf(topics);
      try {
        log.takeSnapshot(to -> now.forEach(topic -> to.write(QuorumMember.record(topic))));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    @Override
    public void onLeaderChange(Leadership leadership) {
      heard.add(leadership);
    }

    /** Null once the topics are committed, else why not. */
    @Nullable Throwable append(String... added) {
      String topic = added[added.length - 1];
      Throwable[] end = {new AssertionError(topic + " has no end within the call")};
      log.append(
          List.of(added).stream().map(QuorumMember::record).toList(),
          new MetadataLog.Completion() {
            @Override
            public void onCommitted(long lastOffset) {
              assertThat(topics).as("told before").endsWith(topic);
              end[0] = null;
            }

            @Override
            public void onFailed(Throwable cause) {
              end[0] = cause;
            }
          });
      return end[0];
    }
  }

  private static void assertBeginsWith(String when, List<String> all, List<String> begin) {
    assertThat(all.subList(0, Math.min(begin.size(), all.size()))).as(when).isEqualTo(begin);
  }

  private void format() throws IOException {
    QuorumBootstrap.write(
        machine.disk().root(),
        List.of(new QuorumVoter(1, QuorumMember.directoryId(1), null)),
        QuorumMember.LISTENER,
        WALL_MS);
  }

  @Test
  void itLeadsWithinTheStartAndCommitsWithinTheAppend() throws IOException {
    format();
    Life life = new Life();
    assertThat(life.heard).last().returns(true, Leadership::isActive);
    assertThat(life.append("a")).isNull();
    assertThat(life.append("b")).isNull();
    assertThat(life.log.state().highWatermark()).isEqualTo(life.log.state().logEndOffset());
    life.log.close();
    machine.exited();
    Life next = new Life();
    assertThat(next.topics).containsExactly("a", "b");
    assertThat(next.heard).last().returns(true, Leadership::isActive);
    assertThat(next.log.state().leaderEpoch()).isGreaterThan(1);
  }

  @Test
  void theLargestAppendIsOneBatchAndOneThatIsTooLargeIsRefused() throws IOException {
    format();
    Life life = new Life();
    String[] many = new String[MetadataLog.MAX_RECORDS];
    for (int i = 0; i < many.length; i++) {
      many[i] = "topic-with-a-name-of-some-length-" + i;
    }
    assertThat(life.append(many)).isNull();
    assertThat(life.topics).hasSize(many.length);
    assertThat(life.batches).isEqualTo(1);
    String long100 = "x".repeat(100);
    String[] tooMany = new String[90_000];
    for (int i = 0; i < tooMany.length; i++) {
      tooMany[i] = long100 + i;
    }
    assertThat(life.append(tooMany))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("refused");
    assertThat(life.append("next")).isNull();
    machine.powerLoss();
    assertThat(new Life().topics).hasSize(many.length + 1);
  }

  @Test
  void aDiskThatFailsAtTheStartFailsTheStart() throws IOException {
    int failures = 0;
    for (Change change : List.of(Change.WRITE, Change.SYNC)) {
      for (int after = 0; after < 5; after++) {
        machine = new SimNode(change + "-" + after, network, 1, WALL_MS, 0);
        format();
        machine.disk().faults().failNext(change, after);
        try {
          assertThat(new Life().heard).last().returns(true, Leadership::isActive);
        } catch (IOException e) {
          failures++;
        }
        machine.exited();
        machine.disk().faults().failNext(change, -1);
        assertThat(new Life().append("a")).as("%s %s", change, after).isNull();
        machine.exited();
      }
    }
    assertThat(failures).isGreaterThan(5);
  }

  @Test
  void nothingIsCommittedThatIsNotSynced() throws IOException {
    format();
    Life life = new Life();
    machine.disk().faults().failNext(Change.SYNC, 0);
    assertThat(life.append("a")).isInstanceOf(IOException.class);
    assertThat(life.topics).isEmpty();
    assertThat(life.heard).last().returns(Leadership.NONE, Leadership::leaderId);
  }

  @Test
  void afterAFailureOfItsDiskItLeadsAgainAndTellsNothingTwice() throws IOException {
    format();
    Life life = new Life();
    assertThat(life.append("a")).isNull();
    machine.disk().faults().failNext(Change.WRITE, 0);
    assertThat(life.append("b")).isInstanceOf(IOException.class);
    assertThat(life.append("c")).hasMessageContaining("failed a moment ago");
    scheduler.runForMs(1_500);
    assertThat(life.append("d")).isNull();
    List<String> told = List.copyOf(life.topics);
    assertThat(told).startsWith("a").endsWith("d").doesNotHaveDuplicates().doesNotContain("c");
    machine.powerLoss();
    assertThat(new Life().topics).isEqualTo(told);
  }

  @Test
  void afterLossesOfPowerAndFailedSyncsItHoldsWhatItCommitted() throws IOException {
    for (int change = 0; change < 40; change++) {
      machine = new SimNode("m" + change, network, change, WALL_MS, 0);
      format();
      machine.disk().faults().failedSyncsDrop(true);
      Life life = new Life();
      machine.disk().faults().failNext(Change.SYNC, 1);
      machine.disk().faults().failAt(machine.disk().faults().changes() + 4 + change);
      List<String> committed = new ArrayList<>();
      for (int i = 0; i < 6; i++) {
        if (life.append("t" + i) == null) {
          committed.add("t" + i);
        }
        scheduler.runForMs(1_500);
      }
      String when = "failure of change " + change;
      assertThat(life.topics).as(when).containsAll(committed).doesNotHaveDuplicates();
      List<String> told = List.copyOf(life.topics);
      machine.disk().faults().failAt(-1);
      machine.powerLoss();
      assertBeginsWith(when, new Life().topics, told);
    }
  }

  @Test
  void afterALossOfPowerAtAnyChangeAllThatWasCommittedIsThere() throws IOException {
    SnapshotSettings small = new SnapshotSettings(600, 0);
    long changes = -1;
    for (long change = -1; change < Math.max(changes, 0); change++) {
      machine = new SimNode("p" + change, network, 3, WALL_MS, 0);
      format();
      long before = machine.disk().faults().changes();
      machine.disk().faults().powerOffAt(change < 0 ? -1 : before + change);
      List<String> committed = new ArrayList<>();
      try {
        Life life = new Life(small);
        for (int i = 0; i < 25; i++) {
          if (life.append("t" + i) == null) {
            committed.add("t" + i);
          }
          scheduler.runForMs(11_000);
        }
        life.log.close();
      } catch (PowerWentOff e) {
        assertThat(change).isNotNegative();
      }
      if (change < 0) {
        changes = machine.disk().faults().changes() - before;
        assertThat(committed).hasSize(25);
      }
      machine.powerLoss();
      Life after = new Life(small);
      assertBeginsWith("power off at change " + change, after.topics, committed);
      assertThat(after.append("more")).isNull();
    }
  }

  @Test
  void itTakesOverTheFolderOfALogWithoutRaftAndItsSnapshots() throws IOException {
    List<String> topics = new ArrayList<>();
    try (SingleVoterLog before =
        new SingleVoterLog(
            machine.disk().root(),
            1,
            QuorumMember.directoryId(1),
            machine.clock(),
            new SnapshotSettings(300, 0))) {
      before.start(batch -> {});
      for (int i = 0; i < 30; i++) {
        String topic = "t" + i;
        topics.add(topic);
        before.append(
            List.of(QuorumMember.record(topic)),
            new MetadataLog.Completion() {
              @Override
              public void onCommitted(long lastOffset) {}

              @Override
              public void onFailed(Throwable cause) {
                throw new AssertionError(cause);
              }
            });
        scheduler.runForMs(11_000);
        if (before.isSnapshotDue()) {
          before.takeSnapshot(to -> topics.forEach(one -> to.write(QuorumMember.record(one))));
        }
      }
      assertThat(before.state().leaderEpoch()).isEqualTo(1);
    }
    Life life = new Life();
    assertThat(life.topics).isEqualTo(topics);
    assertThat(life.log.state().leaderEpoch()).isGreaterThan(1);
    assertThat(life.append("next")).isNull();
    machine.powerLoss();
    assertThat(new Life().topics).hasSize(31).endsWith("next");
  }

  private SingleVoterLog withoutRaft() {
    return new SingleVoterLog(
        machine.disk().root(), 1, QuorumMember.directoryId(1), machine.clock());
  }

  @Test
  void aLogWithoutRaftTakesOverItsFolderAndGivesItBack() throws IOException {
    format();
    Life life = new Life(new SnapshotSettings(600, 0));
    for (int i = 0; i < 25; i++) {
      assertThat(life.append("t" + i)).isNull();
      scheduler.runForMs(11_000);
    }
    life.log.close();
    machine.exited();

    List<String> told = new ArrayList<>();
    try (SingleVoterLog log = withoutRaft()) {
      log.start(
          batch -> batch.records().forEach(one -> told.add(((TopicRecord) one.message()).name())));
      log.append(
          List.of(QuorumMember.record("alone")),
          new MetadataLog.Completion() {
            @Override
            public void onCommitted(long lastOffset) {}

            @Override
            public void onFailed(Throwable cause) {
              throw new AssertionError(cause);
            }
          });
    }
    assertThat(told).hasSize(26).startsWith("t0").endsWith("alone");
    assertThat(new Life().topics).isEqualTo(told);
  }

  @Test
  void aLogWithoutRaftRefusesToLeadAQuorumOfSeveral() throws IOException {
    List<QuorumVoter> voters =
        List.of(
            new QuorumVoter(1, QuorumMember.directoryId(1), new QuorumAddress("n1", 1)),
            new QuorumVoter(2, QuorumMember.directoryId(2), new QuorumAddress("n2", 1)));
    QuorumBootstrap.write(machine.disk().root(), voters, QuorumMember.LISTENER, WALL_MS);
    try (SingleVoterLog log = withoutRaft()) {
      assertThatThrownBy(() -> log.start(batch -> {}))
          .hasMessageContaining("a quorum of nodes [1, 2]")
          .hasMessageContaining("controller.listener.names");
    }
  }

  /** A note that several batches were written with one sync spares what is below it a scan. */
  @Test
  void damageThatOnlyRaftComesUponStopsTheStartAndTellsWhatToDo() throws Exception {
    format();
    Directory folder = machine.disk().root().directory("__cluster_metadata-0");
    PartitionLog log =
        PartitionLog.open(
            SingleVoterLog.LOG_ID,
            folder,
            LogSettings.defaults(),
            LogOpening.unknown(),
            new VirtualClock(WALL_MS));
    for (int i = 0; i < 3; i++) {
      if (i == 2) {
        log.roll();
      }
      List<ApiMessageAndVersion> records = List.of(QuorumMember.record("t" + i));
      log.append(MetadataBatches.encode(records, i, 1, WALL_MS), 1, AppendOrigin.METADATA);
    }
    log.close(true);
    new UnsyncedNote(folder).write(3);
    String first = "00000000000000000000.log";
    int second = (int) folder.size(first) / 2;
    machine.disk().rot("__cluster_metadata-0/" + first, second + BatchHeader.MAGIC_AT);
    assertThatThrownBy(Life::new)
        .isInstanceOf(CorruptLog.class)
        .hasMessageContaining("__cluster_metadata-0 is damaged")
        .hasMessageContaining("restore the folder");
  }
}
