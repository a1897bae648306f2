package dev.tidemark.replica.fetch;

import dev.tidemark.log.AppendOrigin;
import dev.tidemark.log.Batches;
import dev.tidemark.log.LogId;
import dev.tidemark.log.LogOpening;
import dev.tidemark.log.LogSettings;
import dev.tidemark.log.PartitionLog;
import dev.tidemark.replica.BrokerRegistry;
import dev.tidemark.replica.CommittedPartition;
import dev.tidemark.replica.FollowerContacts;
import dev.tidemark.replica.HeldBackground;
import dev.tidemark.replica.IsrProposal;
import dev.tidemark.replica.LagRule;
import dev.tidemark.replica.PartitionFollower;
import dev.tidemark.replica.PartitionLeader;
import dev.tidemark.replica.ReplicaContext;
import dev.tidemark.sim.VirtualClock;
import dev.tidemark.sim.VirtualDisk;
import dev.tidemark.sim.VirtualTimers;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.common.Uuid;

/** Broker 1 leads the partitions of a topic, broker 2 follows; both in virtual time. */
final class TwoBrokers {
  static final Uuid TOPIC_ID = new Uuid(3, 9);
  static final List<Integer> REPLICAS = List.of(1, 2);

  final VirtualClock clock = new VirtualClock(1_700_000_000_000L);
  final VirtualTimers timers = new VirtualTimers(clock);
  final HeldBackground background = new HeldBackground();
  final Map<Integer, PartitionLeader> leaders = new TreeMap<>();
  final FollowerContacts contacts = new FollowerContacts();
  final List<IsrProposal> proposals = new ArrayList<>();
  final List<PartitionFollower> followers = new ArrayList<>();
  private final VirtualDisk leaderDisk = new VirtualDisk(1);
  private final VirtualDisk followerDisk = new VirtualDisk(2);
  final ReplicationThrottle leaderThrottle = new ReplicationThrottle(QuotaWindow.defaults());
  final ReplicationThrottle fetchThrottle = new ReplicationThrottle(QuotaWindow.defaults());

  /** Who is in the ISR; a partition that is not listed has all of {@link #REPLICAS} there. */
  private final Map<Integer, List<Integer>> inSync = new TreeMap<>();

  LogSettings followerSettings = LogSettings.defaults();

  ReplicaContext context(int brokerId) {
    BrokerRegistry brokers =
        new BrokerRegistry() {
          @Override
          public boolean isEligible(int broker, long epoch) {
            return true;
          }

          @Override
          public boolean isAlive(int broker) {
            return true;
          }

          @Override
          public long ownEpoch() {
            return 10L + brokerId;
          }
        };
    return new ReplicaContext(
        brokerId,
        background,
        timers,
        clock,
        (proposal, reply) -> proposals.add(proposal),
        brokers,
        (log, endOffset) -> {},
        LagRule.defaults(),
        contacts,
        1 << 20);
  }

  /** What holds for the followers on broker 2, whose metadata are as new as the leader's. */
  FollowerThrottle followerThrottle() {
    return new FollowerThrottle(
        fetchThrottle, id -> inSync.getOrDefault(id.partition(), REPLICAS).contains(2));
  }

  /** The ISR of a partition, of which all hear at once. */
  void commitIsr(int partition, List<Integer> isr) {
    inSync.put(partition, isr);
    PartitionLeader leader = leaders.get(partition);
    int epoch = leader.partitionEpoch() + 1;
    leader.onCommitted(new CommittedPartition(1, leader.leaderEpoch(), epoch, REPLICAS, isr));
  }

  private PartitionLog open(VirtualDisk disk, int partition, LogSettings settings)
      throws IOException {
    LogId id = new LogId("events", partition, TOPIC_ID);
    return PartitionLog.open(
        id, disk.root().directory(id.folderName()), settings, LogOpening.unknown(), clock);
  }

  /** The next partition: with a leader, and a follower whom nobody fetches for yet. */
  PartitionFollower addPartition() throws IOException {
    int partition = followers.size();
    CommittedPartition committed = new CommittedPartition(1, 0, 0, REPLICAS, REPLICAS);
    PartitionLog log = open(leaderDisk, partition, LogSettings.defaults());
    leaders.put(partition, new PartitionLeader(log, committed, 0, 1, null, context(1)));
    PartitionFollower follower =
        new PartitionFollower(open(followerDisk, partition, followerSettings), 1, 0, 0, context(2));
    followers.add(follower);
    return follower;
  }

  void produce(int partition, String... values) throws Exception {
    leaders.get(partition).append(Batches.plain(clock.wallMs(), values), AppendOrigin.CLIENT);
  }

  long end(int partition) {
    return followers.get(partition).log().logEndOffset();
  }
}
