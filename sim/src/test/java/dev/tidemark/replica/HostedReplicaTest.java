package dev.tidemark.replica;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.log.LogOpening;
import dev.tidemark.log.LogSettings;
import dev.tidemark.log.PartitionLog;
import dev.tidemark.sim.VirtualClock;
import dev.tidemark.sim.VirtualDisk;
import dev.tidemark.sim.VirtualTimers;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class HostedReplicaTest {
  private static final int SELF = 1;
  private static final int OTHER = 2;
  private static final int NOBODY = -1;
  private static final List<Integer> REPLICAS = List.of(1, 2, 3);

  private final VirtualClock clock = new VirtualClock(1_000_000);
  private HostedReplica replica;

  @BeforeEach
  void host() throws IOException {
    PartitionLog log =
        PartitionLog.open(
            ReplicaCluster.ID,
            new VirtualDisk(1).root().directory(ReplicaCluster.ID.folderName()),
            LogSettings.defaults(),
            LogOpening.unknown(),
            clock);
    replica =
        new HostedReplica(
            log,
            0,
            ReplicaContext.alone(SELF, new HeldBackground(), new VirtualTimers(clock), clock));
  }

  private PartitionReplica apply(int leader, int leaderEpoch) {
    return replica.apply(
        new CommittedPartition(leader, leaderEpoch, leaderEpoch, REPLICAS, REPLICAS), 1);
  }

  @Test
  void everyTransitionGivesTheRoleThatTheTableNames() {
    int epoch = 0;
    for (int from : new int[] {SELF, OTHER, NOBODY}) {
      for (int to : new int[] {SELF, OTHER, NOBODY}) {
        PartitionReplica before = apply(from, ++epoch);
        PartitionReplica after = apply(to, ++epoch);
        assertThat(after).isSameAs(replica.role());
        assertThat(after.leaderEpoch()).isEqualTo(epoch);
        assertThat(after instanceof PartitionLeader).isEqualTo(to == SELF);
        if (after instanceof PartitionFollower follower) {
          assertThat(follower.leaderId()).isEqualTo(to);
          assertThat(follower.step())
              .isEqualTo(to == NOBODY ? FollowerStep.AWAIT_METADATA : FollowerStep.FETCH);
        }
        boolean sameRole = (from == SELF) == (to == SELF);
        assertThat(before == after).isEqualTo(sameRole);
        assertThat(before.isStopped()).isEqualTo(!sameRole);
      }
    }
  }

  @Test
  void olderMetadataChangesNothing() {
    PartitionReplica leader = apply(SELF, 5);
    assertThat(apply(OTHER, 4)).isSameAs(leader);
    assertThat(leader.isStopped()).isFalse();
  }

  @Test
  void nobodyBeginsToLeadInAnEpochInWhichAnotherLed() {
    PartitionReplica follower = apply(OTHER, 5);
    assertThat(apply(SELF, 5)).isSameAs(follower);
  }

  @Test
  void aLeaderThatHearsOfAnotherInItsEpochServesNoMore() {
    PartitionReplica leader = apply(SELF, 5);
    assertThat(apply(OTHER, 5)).isInstanceOf(PartitionFollower.class);
    assertThat(leader.isStopped()).isTrue();
  }

  @Test
  void theHighWatermarkGoesFromRoleToRole() {
    apply(SELF, 1);
    replica.stop();
    assertThat(replica.role()).isNull();
    assertThat(apply(OTHER, 2).highWatermark()).isZero();
  }
}
