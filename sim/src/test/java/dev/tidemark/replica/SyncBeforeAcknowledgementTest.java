package dev.tidemark.replica;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.env.Directory;
import dev.tidemark.log.AppendOrigin;
import dev.tidemark.log.AppendResult;
import dev.tidemark.log.Batches;
import dev.tidemark.log.LogId;
import dev.tidemark.log.LogOpening;
import dev.tidemark.log.LogSettings;
import dev.tidemark.log.LogSummary;
import dev.tidemark.log.PartitionLog;
import dev.tidemark.sim.DiskFaults.Change;
import dev.tidemark.sim.VirtualClock;
import dev.tidemark.sim.VirtualDisk;
import dev.tidemark.sim.VirtualTimers;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Test;

/** What counts on a topic that syncs before it acknowledges, also when it begins or ceases to. */
class SyncBeforeAcknowledgementTest {
  private static final LogId ID = new LogId("events", 0, new Uuid(1, 2));
  private static final LogSettings DEFAULTS = LogSettings.defaults();
  private static final LogSettings SYNCING = DEFAULTS.withFlushMessages(1);
  private static final int POWER_LOSSES = 8;

  private final VirtualClock clock = new VirtualClock(1_000_000);
  private final VirtualTimers timers = new VirtualTimers(clock);
  private final List<Errors> acknowledged = new ArrayList<>();
  private HeldBackground background = new HeldBackground();
  private VirtualDisk disk = new VirtualDisk(1);

  private Directory folder() {
    return disk.root().directory(ID.folderName());
  }

  private PartitionLog open(LogSettings settings) throws IOException {
    return PartitionLog.open(ID, folder(), settings, LogOpening.unknown(), clock);
  }

  private PartitionLeader lead(PartitionLog log) {
    return new PartitionLeader(log, 0, ReplicaContext.alone(1, background, timers, clock));
  }

  private PartitionLeader leader(LogSettings settings) throws IOException {
    return lead(open(settings));
  }

  private AppendResult append(PartitionLeader leader, int sequence) throws Exception {
    return leader.append(
        Batches.of(7, 0, sequence, clock.wallMs(), "v" + sequence), AppendOrigin.CLIENT);
  }

  /** What acks=1 does. */
  private void produceHeld(PartitionLeader leader, int sequence) throws Exception {
    leader.whenHeld(append(leader, sequence).lastOffset() + 1, acknowledged::add);
  }

  /** What acks=all does. */
  private void produceCommitted(PartitionLeader leader, int sequence) throws Exception {
    leader.whenCommitted(append(leader, sequence).lastOffset() + 1, acknowledged::add);
  }

  @Test
  void whoWaitsForTheLeaderAloneWaitsForItsSyncToo() throws Exception {
    PartitionLeader leader = leader(SYNCING);
    produceHeld(leader, 0);
    assertThat(acknowledged).isEmpty();
    background.runNext();
    assertThat(acknowledged).containsExactly(Errors.NONE);
  }

  @Test
  void withoutASyncBeforeAcknowledgementTheLeaderHoldsWhatItAppended() throws Exception {
    PartitionLeader leader = leader(DEFAULTS);
    produceHeld(leader, 0);
    assertThat(acknowledged).containsExactly(Errors.NONE);
    assertThat(background.size()).isZero();
  }

  @Test
  void aRetryThatComesBeforeTheSyncWaitsForItAsTheFirstTryDoes() throws Exception {
    PartitionLeader leader = leader(SYNCING);
    produceHeld(leader, 0);
    produceHeld(leader, 0);
    assertThat(leader.log().logEndOffset()).as("stored once").isEqualTo(1);
    assertThat(acknowledged).isEmpty();
    background.runNext();
    assertThat(acknowledged).containsExactly(Errors.NONE, Errors.NONE);
  }

  @Test
  void whatAProcessBeforeDidNotSyncIsCommittedOnlyAfterASync() throws Exception {
    for (long powerLoss = 0; powerLoss < POWER_LOSSES; powerLoss++) {
      beginAnew();
      append(leader(SYNCING), 0);
      disk.processKill();
      background = new HeldBackground();
      assertTailIsCommittedAfterASync(leader(SYNCING), powerLoss);
    }
  }

  @Test
  void soIsWhatItDidNotSyncOfALogThatIsTakenUpByItsSummary() throws Exception {
    for (long powerLoss = 0; powerLoss < POWER_LOSSES; powerLoss++) {
      beginAnew();
      PartitionLog before = open(SYNCING);
      append(lead(before), 0);
      LogSummary left = Objects.requireNonNull(before.summary());
      disk.processKill();
      background = new HeldBackground();
      PartitionLog log = PartitionLog.resume(ID, folder(), SYNCING, left, false, clock);
      assertTailIsCommittedAfterASync(lead(log), powerLoss);
    }
  }

  private void beginAnew() {
    disk = new VirtualDisk(1);
    background = new HeldBackground();
    acknowledged.clear();
  }

  private void assertTailIsCommittedAfterASync(PartitionLeader leader, long powerLoss)
      throws Exception {
    assertThat(leader.highWatermark()).isZero();
    produceCommitted(leader, 0);
    produceHeld(leader, 0);
    assertThat(acknowledged).as("of the retry").isEmpty();
    assertThat(background.size()).as("the sync began with the leadership").isEqualTo(1);
    background.runNext();
    assertThat(acknowledged).containsExactly(Errors.NONE, Errors.NONE);
    assertThat(leader.highWatermark()).isEqualTo(1);

    disk.powerLoss(powerLoss);
    assertThat(open(SYNCING).logEndOffset()).as("power loss %s", powerLoss).isEqualTo(1);
  }

  @Test
  void withoutASyncBeforeAcknowledgementAllThatSurvivedIsCommittedAtOnce() throws Exception {
    append(leader(DEFAULTS), 0);
    disk.processKill();
    background = new HeldBackground();
    PartitionLeader after = leader(DEFAULTS);
    assertThat(after.highWatermark()).isEqualTo(1);
    assertThat(background.size()).isZero();
  }

  @Test
  void whoeverWaitedForASyncIsTakenCareOfWhenTheTopicCeasesToSync() throws Exception {
    PartitionLeader leader = leader(SYNCING);
    List<Long> heard = new ArrayList<>();
    leader.addListener(moved -> heard.add(moved.highWatermark()));
    produceCommitted(leader, 0);
    produceHeld(leader, 1);
    leader.updateSettings(DEFAULTS);
    assertThat(acknowledged).containsExactly(Errors.NONE, Errors.NONE);
    assertThat(leader.highWatermark()).isEqualTo(2);
    assertThat(heard).as("readers that wait").containsExactly(2L);
    background.runNext();
    assertThat(background.size()).isZero();
    assertThat(leader.highWatermark()).isEqualTo(2);
  }

  @Test
  void whatWasAppendedBeforeATopicBeganToSyncIsSyncedBeforeARetryIsAcknowledged() throws Exception {
    PartitionLeader leader = leader(DEFAULTS);
    append(leader, 0);
    leader.updateSettings(SYNCING);
    produceCommitted(leader, 0);
    produceHeld(leader, 0);
    assertThat(acknowledged).isEmpty();
    assertThat(leader.highWatermark()).as("never goes back").isEqualTo(1);
    background.runNext();
    assertThat(acknowledged).containsExactly(Errors.NONE, Errors.NONE);
  }

  @Test
  void afterASyncThatFailedNoOtherOneMakesUpForIt() throws Exception {
    disk.faults().failedSyncsDrop(true);
    PartitionLeader leader = leader(SYNCING);
    append(leader, 0);
    disk.faults().failNext(Change.SYNC, 0);
    background.runNext();
    leader.startFlush(); // as periodic work does
    assertThat(background.size()).isZero();
    assertThat(leader.log().syncedEndOffset()).isZero();
    leader.whenHeld(1, acknowledged::add);
    leader.whenCommitted(1, acknowledged::add);
    assertThat(acknowledged)
        .containsExactly(Errors.KAFKA_STORAGE_ERROR, Errors.KAFKA_STORAGE_ERROR);
  }

  @Test
  void whoWaitsWhenATopicBeginsToSyncIsToldAfterASync() throws Exception {
    PartitionLeader leader = leader(SYNCING);
    produceHeld(leader, 0);
    leader.updateSettings(DEFAULTS);
    background.runNext();
    append(leader, 1);
    leader.whenCommitted(3, acknowledged::add); // as with followers that are not so far yet
    leader.updateSettings(SYNCING);
    assertThat(background.size()).isEqualTo(1);
  }

  @Test
  void aShorterTimeToTheSyncHoldsFromTheNextAppendOn() throws Exception {
    PartitionLeader leader = leader(DEFAULTS.withFlushMs(3_600_000));
    append(leader, 0);
    leader.updateSettings(DEFAULTS.withFlushMs(500));
    append(leader, 1);
    timers.advanceMs(500);
    background.runNext();
    assertThat(leader.log().syncedEndOffset()).isEqualTo(2);
    assertThat(timers.size()).as("the longer time is forgotten").isZero();
  }
}
