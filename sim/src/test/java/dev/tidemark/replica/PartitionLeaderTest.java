package dev.tidemark.replica;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tidemark.env.Directory;
import dev.tidemark.log.AppendOrigin;
import dev.tidemark.log.Batches;
import dev.tidemark.log.EpochEnd;
import dev.tidemark.log.LogId;
import dev.tidemark.log.LogOpening;
import dev.tidemark.log.LogSettings;
import dev.tidemark.log.PartitionLog;
import dev.tidemark.log.RefusedAppend;
import dev.tidemark.sim.DiskFaults;
import dev.tidemark.sim.VirtualClock;
import dev.tidemark.sim.VirtualDisk;
import dev.tidemark.sim.VirtualTimers;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Test;

class PartitionLeaderTest {
  private static final LogId ID = new LogId("events", 0, new Uuid(1, 2));

  private final VirtualDisk disk = new VirtualDisk(1);
  private final VirtualClock clock = new VirtualClock(1_000_000);
  private final VirtualTimers timers = new VirtualTimers(clock);
  private final HeldBackground background = new HeldBackground();
  private final List<Errors> acknowledged = new ArrayList<>();

  private PartitionLog openLog(LogSettings settings) throws IOException {
    Directory folder = disk.root().directory(ID.folderName());
    return PartitionLog.open(ID, folder, settings, LogOpening.unknown(), clock);
  }

  private PartitionLeader leader(LogSettings settings) throws IOException {
    return leader(openLog(settings), 0);
  }

  private PartitionLeader leader(PartitionLog log, int leaderEpoch) {
    return new PartitionLeader(
        log, leaderEpoch, ReplicaContext.alone(1, background, timers, clock));
  }

  private void produce(PartitionLeader leader, String... values) throws Exception {
    long end =
        leader.append(Batches.plain(clock.wallMs(), values), AppendOrigin.CLIENT).lastOffset() + 1;
    leader.whenCommitted(end, acknowledged::add);
  }

  @Test
  void withOneReplicaAnAppendIsCommittedAtOnce() throws Exception {
    PartitionLeader leader = leader(LogSettings.defaults());
    produce(leader, "a", "b");
    assertThat(leader.highWatermark()).isEqualTo(2);
    assertThat(acknowledged).containsExactly(Errors.NONE);
    assertThat(background.size()).isZero();
  }

  @Test
  void aTopicThatSyncsAcknowledgesOnlyWhatIsSynced() throws Exception {
    PartitionLeader leader = leader(LogSettings.defaults().withFlushMessages(1));
    produce(leader, "a");
    assertThat(leader.highWatermark()).isZero();
    assertThat(acknowledged).isEmpty();

    background.runNext();
    assertThat(leader.highWatermark()).isEqualTo(1);
    assertThat(acknowledged).containsExactly(Errors.NONE);
  }

  @Test
  void whatIsAppendedDuringASyncSharesTheNextOne() throws Exception {
    PartitionLeader leader = leader(LogSettings.defaults().withFlushMessages(1));
    produce(leader, "first");
    for (int i = 0; i < 64; i++) {
      produce(leader, "v" + i);
    }
    assertThat(background.size()).isEqualTo(1);
    background.runNext();
    assertThat(acknowledged).hasSize(1);
    background.runNext();
    assertThat(acknowledged).hasSize(65).containsOnly(Errors.NONE);
    assertThat(background.size()).isZero();
  }

  @Test
  void whatWasAcknowledgedOnASyncingTopicSurvivesALossOfPower() throws Exception {
    PartitionLeader leader = leader(LogSettings.defaults().withFlushMessages(1));
    produce(leader, "kept");
    background.runNext();
    produce(leader, "maybe lost");
    assertThat(acknowledged).hasSize(1);

    disk.powerLoss(7);
    PartitionLeader after = leader(LogSettings.defaults().withFlushMessages(1));
    assertThat(after.log().logEndOffset()).isBetween(1L, 2L);
  }

  @Test
  void aFailedSyncFailsThoseWhoWaitAndClosesTheLogToAppends() throws Exception {
    PartitionLeader leader = leader(LogSettings.defaults().withFlushMessages(1));
    produce(leader, "a");
    disk.faults().failNext(DiskFaults.Change.SYNC, 0);
    background.runNext();
    assertThat(acknowledged).containsExactly(Errors.KAFKA_STORAGE_ERROR);
    assertThat(leader.highWatermark()).isZero();
    assertThatThrownBy(() -> produce(leader, "b"))
        .isInstanceOfSatisfying(
            RefusedAppend.class,
            refused -> assertThat(refused.error()).isEqualTo(Errors.KAFKA_STORAGE_ERROR));
  }

  @Test
  void flushMsSyncsOnceTheTimeIsOver() throws Exception {
    PartitionLeader leader = leader(LogSettings.defaults().withFlushMs(500));
    produce(leader, "a");
    assertThat(acknowledged).hasSize(1);
    timers.advanceMs(499);
    assertThat(background.size()).isZero();
    timers.advanceMs(1);
    background.runNext();
    assertThat(leader.log().syncedEndOffset()).isEqualTo(1);
  }

  @Test
  void aLeaderEpochWithoutARecordEndsWhereTheLogEndsAndEndsTheOneBefore() throws Exception {
    // KAFKA-7415
    PartitionLeader leader = leader(LogSettings.defaults());
    produce(leader, "a", "b");
    leader.onCommitted(new CommittedPartition(1, 4, 4, List.of(1), List.of(1)));
    assertThat(leader.log().endOffsetForEpoch(4)).isEqualTo(new EpochEnd(4, 2));
    produce(leader, "c");
    leader.close();

    PartitionLog log = openLog(LogSettings.defaults());
    PartitionLeader next = leader(log, 5);
    assertThat(next.log().endOffsetForEpoch(5)).isEqualTo(new EpochEnd(5, 3));
    assertThat(next.log().endOffsetForEpoch(4)).isEqualTo(new EpochEnd(4, 3));
    next.onCommitted(new CommittedPartition(1, 7, 7, List.of(1), List.of(1)));
    produce(next, "d");
    assertThat(next.log().endOffsetForEpoch(7)).isEqualTo(new EpochEnd(7, 4));
    assertThat(next.log().endOffsetForEpoch(6)).isEqualTo(new EpochEnd(4, 3));
    assertThat(next.log().endOffsetForEpoch(8)).isEqualTo(EpochEnd.UNDEFINED);
  }

  @Test
  void aListenerIsToldUntilItHasHeardEnough() throws Exception {
    PartitionLeader leader = leader(LogSettings.defaults());
    List<Long> heard = new ArrayList<>();
    leader.addListener(
        moved -> {
          heard.add(moved.highWatermark());
          return heard.size() < 2;
        });
    produce(leader, "a");
    produce(leader, "b");
    produce(leader, "c");
    assertThat(heard).containsExactly(1L, 2L);
  }

  @Test
  void aSyncThatOutlivesThePartitionLeavesNoFileOpen() throws Exception {
    for (boolean syncFails : new boolean[] {false, true}) {
      PartitionLeader leader = leader(LogSettings.defaults().withFlushMessages(1));
      produce(leader, "a");
      assertThat(background.size()).isEqualTo(1);
      leader.close();
      if (syncFails) {
        disk.faults().failNext(DiskFaults.Change.SYNC, 0);
      }
      background.runNext();
      assertThat(disk.openFiles()).isZero();
    }
  }

  @Test
  void whoWaitsWhenTheRoleEndsIsTold() throws Exception {
    PartitionLeader leader = leader(LogSettings.defaults().withFlushMessages(1));
    produce(leader, "a");
    leader.stop();
    assertThat(acknowledged).containsExactly(Errors.NOT_LEADER_OR_FOLLOWER);
    leader.whenCommitted(5, acknowledged::add);
    assertThat(acknowledged).hasSize(2);
  }
}
