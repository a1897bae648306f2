package dev.tidemark.replica.fetch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.log.LogSettings;
import dev.tidemark.replica.CommittedPartition;
import dev.tidemark.replica.PartitionFollower;
import dev.tidemark.replica.PartitionLeader;
import dev.tidemark.replica.StoredRecord;
import dev.tidemark.sim.SeededRandomness;
import dev.tidemark.sim.VirtualTimers;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Test;

/**
 * Lives of both sides of a fetch session: answers that are late or lost, partitions that come and
 * go, new epochs that one side hears of first, log starts that move, syncs that take their time.
 */
class FetchLifeTest {
  private static final long ROUNDS = Long.getLong("tidemark.rounds", 1);
  private static final long FIRST_SEED = Long.getLong("tidemark.seed", 0);
  private static final int PARTITIONS = 4;
  private static final int STEPS = 300;

  private static final class Life {
    private final SeededRandomness random;
    private final TwoBrokers brokers = new TwoBrokers();
    private final VirtualTimers timers = brokers.timers;
    private final FetcherSettings fetching;
    private final int[] epochs = new int[PARTITIONS];
    private final ServedSession session;
    private final Wire wire;
    private final FollowerFetcher fetcher;
    private int values;

    Life(long seed) throws Exception {
      random = new SeededRandomness(seed);
      fetching =
          new FetcherSettings(
              50 + random.nextInt(500), 1 + random.nextInt(200), 1500, 800, 100, 2000);
      if (random.chance(40)) {
        brokers.followerSettings = LogSettings.defaults().withFlushMessages(1);
      }
      session =
          new ServedSession(
              new LedPartitions() {
                @Override
                public PartitionLeader find(Uuid topicId, int partition) {
                  return brokers.leaders.get(partition);
                }

                @Override
                public Errors missing(Uuid topicId, int partition, int leaderEpoch) {
                  return Errors.UNKNOWN_TOPIC_ID;
                }
              },
              new ServingSettings(random.nextInt(40), 4000),
              brokers.context(1));
      wire = new Wire(brokers, session);
      fetcher = new FollowerFetcher(1, fetching, wire, brokers.context(2));
      for (int i = 0; i < PARTITIONS; i++) {
        fetcher.add(brokers.addPartition());
      }
    }

    void run() throws Exception {
      for (int i = 0; i < STEPS; i++) {
        step(random.nextInt(PARTITIONS));
      }
      heal();
    }

    private void step(int partition) throws Exception {
      int kind = random.nextInt(100);
      if (kind < 45) {
        brokers.produce(partition, "v" + values++ + "x".repeat(random.nextInt(300)));
      } else if (kind < 75) {
        timers.advanceMs(random.nextInt(30));
      } else if (kind < 85) {
        syncOne();
      } else if (kind < 88) {
        wire.delayMs = random.nextInt(40);
      } else if (kind < 90) {
        wire.cut = random.chance(50);
      } else if (kind < 92) {
        session.close(); // the connection breaks, and nobody tells the follower
      } else if (kind < 95) {
        lead(partition);
      } else if (kind < 97) {
        follow(partition);
      } else if (kind < 98) {
        moveLogStart(partition);
      } else {
        fetcher.remove(brokers.followers.get(partition));
        timers.advanceMs(random.nextInt(20));
        fetcher.add(brokers.followers.get(partition));
      }
    }

    private void syncOne() {
      if (brokers.background.size() > 0) {
        brokers.background.runNext();
      }
    }

    /** The leader hears of a new epoch first. */
    private void lead(int partition) {
      int epoch = ++epochs[partition];
      brokers
          .leaders
          .get(partition)
          .onCommitted(
              new CommittedPartition(1, epoch, epoch, TwoBrokers.REPLICAS, TwoBrokers.REPLICAS));
    }

    /** The follower hears of an epoch that the leader may know, or not yet. */
    private void follow(int partition) {
      if (random.chance(30)) {
        brokers.followers.get(partition).onLeader(1, ++epochs[partition]);
      } else {
        brokers.followers.get(partition).onLeader(1, epochs[partition]);
      }
    }

    private void moveLogStart(int partition) throws Exception {
      PartitionLeader leader = brokers.leaders.get(partition);
      long start = leader.log().logStartOffset();
      long highWatermark = leader.highWatermark();
      leader
          .log()
          .advanceLogStartOffset(
              start + random.nextInt((int) (highWatermark - start + 1)), highWatermark);
    }

    private void heal() {
      wire.cut = false;
      wire.delayMs = 0;
      for (int i = 0; i < PARTITIONS; i++) {
        lead(i);
        brokers.followers.get(i).onLeader(1, epochs[i]);
      }
      for (int i = 0; i < 400; i++) {
        timers.advanceMs(20);
        while (brokers.background.size() > 0) {
          brokers.background.runNext();
        }
      }
      for (int i = 0; i < PARTITIONS; i++) {
        check(brokers.leaders.get(i), brokers.followers.get(i));
      }
    }

    private static void check(PartitionLeader leader, PartitionFollower follower) {
      long end = leader.log().logEndOffset();
      long start = leader.log().logStartOffset();
      assertThat(follower.log().logEndOffset()).as("%s", leader.log().id()).isEqualTo(end);
      assertThat(follower.highWatermark()).isEqualTo(end);
      assertThat(leader.highWatermark()).isEqualTo(end);
      assertThat(follower.log().logStartOffset()).isEqualTo(start);
      assertThat(StoredRecord.bytes(follower.log(), start, end))
          .isEqualTo(StoredRecord.bytes(leader.log(), start, end));
    }
  }

  @Test
  void whateverHappensToTheAnswersTheFollowersComeToHaveWhatTheLeadersHave() {
    for (long seed = FIRST_SEED; seed < FIRST_SEED + 100 * ROUNDS; seed++) {
      try {
        new Life(seed).run();
      } catch (Exception | AssertionError e) {
        throw new AssertionError("seed " + seed, e);
      }
    }
  }
}
