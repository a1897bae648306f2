package dev.tidemark.broker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.log.Batches;
import dev.tidemark.replica.PartitionLeader;
import dev.tidemark.sim.VirtualClock;
import dev.tidemark.sim.VirtualDisk;
import java.io.IOException;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** {@code flush.messages=1} in a whole broker. */
class SyncingTopicTest {
  private static final String TOPIC = "events";
  private static final int POWER_LOSSES = 8;

  private VirtualDisk disk = new VirtualDisk(1);
  private final VirtualClock clock = new VirtualClock(1_000_000);
  private SimBroker broker;

  @BeforeEach
  void start() throws IOException {
    broker = SimBroker.formatted(disk, clock);
  }

  private SimClient client() {
    return new SimClient(broker, clock);
  }

  private void syncFromNowOn() {
    assertThat(client().alter(TOPIC, "flush.messages", "1")).isEqualTo(Errors.NONE);
  }

  /** A record that is appended and waits for its sync. */
  private SimExchange sendUnsynced() {
    broker.hold(PartitionLeader.SYNCS);
    SimExchange sent = client().send(TOPIC, Batches.plain(clock.wallMs(), "v"));
    assertThat(sent.isAnswered()).isFalse();
    return sent;
  }

  @Test
  void aTopicThatCeasesToSyncAnswersWhoWaits() {
    client().create(TOPIC, "flush.messages", "1");
    SimExchange waiting = sendUnsynced();
    assertThat(client().alter(TOPIC, "flush.messages", null)).isEqualTo(Errors.NONE);
    assertThat(waiting.isAnswered()).isTrue();
    assertThat(SimClient.acknowledged(waiting).errorCode()).isEqualTo(Errors.NONE.code());
    assertThat(client().latest(TOPIC)).isEqualTo(1);
    broker.release();
  }

  @Test
  void whatAKillLeftUnsyncedIsSyncedBeforeItIsServed() throws IOException {
    for (long powerLoss = 0; powerLoss < POWER_LOSSES; powerLoss++) {
      disk = new VirtualDisk(1);
      start();
      client().create(TOPIC, "flush.messages", "1");
      SimExchange unused = sendUnsynced();
      broker = broker.killedAndStarted();
      assertThat(client().latest(TOPIC)).isEqualTo(1);
      broker = broker.afterPowerLoss(powerLoss);
      assertThat(client().latest(TOPIC)).as("power loss %s", powerLoss).isEqualTo(1);
    }
  }

  @Test
  void aTopicThatBeginsToSyncSyncsWhatItHasWithinAMinute() throws IOException {
    for (long powerLoss = 0; powerLoss < POWER_LOSSES; powerLoss++) {
      disk = new VirtualDisk(1);
      start();
      client().create(TOPIC);
      client().produce(TOPIC, 3);
      syncFromNowOn();
      broker.advanceMs(61_000);
      broker = broker.afterPowerLoss(powerLoss);
      assertThat(client().latest(TOPIC)).as("power loss %s", powerLoss).isEqualTo(3);
    }
  }

  @Test
  void whatAKillLeftUnsyncedIsSyncedAtTheStartAndNoFileStaysOpenForIt() throws IOException {
    broker = broker.killedAndStarted();
    broker.advanceMs(30_000);
    int idle = disk.openFiles();
    client().create(TOPIC);
    syncFromNowOn();
    client().produce(TOPIC, 4);
    broker = broker.killedAndStarted();
    assertThat(client().latest(TOPIC)).isEqualTo(4);
    broker.advanceMs(30_000);
    assertThat(disk.openFiles()).as("half a minute after the start").isEqualTo(idle);
  }
}
