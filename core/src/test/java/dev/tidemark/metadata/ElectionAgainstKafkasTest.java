package dev.tidemark.metadata;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.apache.kafka.common.DirectoryId;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.metadata.PartitionChangeRecord;
import org.apache.kafka.controller.PartitionChangeBuilder;
import org.apache.kafka.metadata.LeaderRecoveryState;
import org.apache.kafka.metadata.PartitionRegistration;
import org.apache.kafka.metadata.Replicas;
import org.apache.kafka.server.common.ApiMessageAndVersion;
import org.apache.kafka.server.common.MetadataVersion;
import org.junit.jupiter.api.Test;

/** What a proven stop of a broker means for a partition is what Kafka's controller decides. */
class ElectionAgainstKafkasTest {
  private static final PartitionKey KEY = new PartitionKey(new Uuid(1, 2), 0);
  private static final int SEEDS = 3_000;

  /** A partition as it can be, and who is alive. */
  private static final class Case {
    final List<Integer> replicas = new ArrayList<>(List.of(1, 2, 3, 4));
    final List<Integer> isr = new ArrayList<>();
    final List<Integer> elr = new ArrayList<>();
    final Set<Integer> alive = new TreeSet<>();
    final int minIsr;
    int leader = -1;

    Case(Random random) {
      Collections.shuffle(replicas, random);
      minIsr = 1 + random.nextInt(3);
      for (int id : replicas) {
        if (random.nextInt(2) == 0) {
          isr.add(id);
          alive.add(id);
        }
      }
      for (int id : replicas) {
        if (!isr.contains(id) && isr.size() < minIsr && random.nextInt(2) == 0) {
          elr.add(id);
        }
        if (!isr.contains(id) && random.nextBoolean() && !(isr.isEmpty() && elr.contains(id))) {
          alive.add(id);
        }
      }
      if (!isr.isEmpty()) {
        leader = isr.get(random.nextInt(isr.size()));
      }
    }

    PartitionRegistration registration() {
      return new PartitionRegistration.Builder()
          .setReplicas(Replicas.toArray(replicas))
          .setDirectories(DirectoryId.unassignedArray(replicas.size()))
          .setIsr(Replicas.toArray(isr))
          .setElr(Replicas.toArray(elr))
          .setLeader(leader)
          .setLeaderRecoveryState(LeaderRecoveryState.RECOVERED)
          .setLeaderEpoch(5)
          .setPartitionEpoch(9)
          .build();
    }
  }

  private static PartitionRegistration ours(Case one, int gone, boolean unclean) {
    PartitionChange change = new PartitionChange(one.registration(), new Facts(one));
    if (unclean) {
      change.stopUncleanly(gone);
    } else {
      change.leaveIsr(gone);
    }
    Optional<PartitionChangeRecord> record = change.record(KEY);
    return record.map(one.registration()::merge).orElse(one.registration());
  }

  private static PartitionRegistration kafkas(Case one, int gone, boolean unclean) {
    PartitionChangeBuilder builder =
        new PartitionChangeBuilder(
            one.registration(),
            KEY.topicId(),
            KEY.partition(),
            id -> one.alive.contains(id) && id != gone,
            MetadataVersion.LATEST_PRODUCTION,
            one.minIsr,
            true);
    builder.setUseLastKnownLeaderInBalancedRecovery(true);
    builder.setDefaultDirProvider(id -> DirectoryId.UNASSIGNED);
    builder.setTargetIsr(one.isr.stream().filter(id -> id != gone).toList());
    if (unclean) {
      builder.setUncleanShutdownReplicas(List.of(gone));
    }
    Optional<ApiMessageAndVersion> record = builder.build();
    return record
        .map(found -> one.registration().merge((PartitionChangeRecord) found.message()))
        .orElse(one.registration());
  }

  @Test
  void a_broker_that_stops_leaves_the_same_leader_isr_and_eligible_replicas() {
    for (int seed = 0; seed < SEEDS; seed++) {
      Random random = new Random(seed);
      Case one = new Case(random);
      int gone = one.replicas.get(random.nextInt(4));
      boolean unclean = random.nextBoolean();
      one.alive.remove(gone);

      PartitionRegistration ours = ours(one, gone, unclean);
      PartitionRegistration kafkas = kafkas(one, gone, unclean);

      String about =
          "seed %d: %s of %s, min ISR %d, alive %s, %s"
              .formatted(
                  seed, gone, one.registration(), one.minIsr, one.alive, unclean ? "unclean" : "");
      assertThat(ours.leader).as(about).isEqualTo(kafkas.leader);
      assertThat(ours.leaderEpoch).as(about).isEqualTo(kafkas.leaderEpoch);
      assertThat(Replicas.toSet(ours.isr)).as(about).isEqualTo(Replicas.toSet(kafkas.isr));
      assertThat(Replicas.toSet(ours.elr)).as(about).isEqualTo(Replicas.toSet(kafkas.elr));
    }
  }

  /** All that are alive may lead; the old leader has stopped. */
  private record Facts(Case one) implements PartitionChange.Facts {
    @Override
    public boolean isActive(int brokerId, Uuid directory) {
      return one.alive.contains(brokerId);
    }

    @Override
    public boolean mayServe(int brokerId, Uuid directory) {
      return false;
    }

    @Override
    public boolean isHeld() {
      return false;
    }

    @Override
    public int minInsyncReplicas() {
      return one.minIsr;
    }

    @Override
    public boolean keepsEligible() {
      return true;
    }

    @Override
    public boolean allowsUncleanElection() {
      return false;
    }
  }
}
