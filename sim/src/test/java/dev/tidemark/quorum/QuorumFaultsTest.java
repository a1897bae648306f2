package dev.tidemark.quorum;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.sim.OtherProcess;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Histories with faults from many seeds; each can be repeated from its seed. */
class QuorumFaultsTest {
  private static final long ROUNDS = Long.getLong("tidemark.rounds", 1);
  private static final int SEEDS = 50;
  private static final long HISTORY_MS = 8_000;

  @Test
  void nothingThatWasCommittedIsLostOrChangedAndAllAgreeInTheEnd() {
    Map<String, Integer> faults = new TreeMap<>();
    int acknowledged = 0;
    int snapshots = 0;
    for (long seed = 0; seed < SEEDS * ROUNDS; seed++) {
      try {
        QuorumHistory history = new QuorumHistory(seed, null);
        history.run(HISTORY_MS);
        history.faults.forEach((fault, count) -> faults.merge(fault, count, Integer::sum));
        acknowledged += history.acknowledged.size();
        snapshots += history.cluster.members.stream().mapToInt(QuorumMember::snapshotsHeard).sum();
      } catch (IOException | RuntimeException | AssertionError e) {
        throw new AssertionError("seed " + seed, e);
      }
    }
    assertThat(faults)
        .containsKeys("kill", "power loss", "power loss in a change", "power loss of all")
        .containsKeys("cut", "cut one way", "freeze", "disk failure", "resign")
        .allSatisfy((fault, count) -> assertThat(count).as(fault).isGreaterThan(SEEDS / 4));
    assertThat(acknowledged).isGreaterThan(SEEDS * 50);
    assertThat(snapshots).isGreaterThan(SEEDS);
  }

  private static long hash(long seed, List<String> lines) throws IOException {
    QuorumHistory history = new QuorumHistory(seed, lines::add);
    history.run(HISTORY_MS);
    return history.cluster.scheduler.trace().hash();
  }

  @Test
  void theSameSeedGivesTheSameRunAndAnotherOneAnother() throws IOException {
    List<String> first = new ArrayList<>();
    List<String> second = new ArrayList<>();
    long hash = hash(1, first);
    assertThat(hash(1, second)).isEqualTo(hash);
    assertThat(second).isEqualTo(first);
    assertThat(hash(2, new ArrayList<>())).isNotEqualTo(hash);
  }

  /** The order of Java's unmodifiable sets differs from one process to the next. */
  @Test
  void theSameSeedGivesTheSameRunInAnotherProcess() throws Exception {
    for (int i = 0; i < 2; i++) {
      assertThat(OtherProcess.lastLineOf(QuorumFaultsTest.class, "3"))
          .isEqualTo(String.valueOf(hash(3, new ArrayList<>())));
    }
  }

  /** Prints the trace hash of the history of a seed, and with a second argument every event. */
  public static void main(String[] args) throws IOException {
    List<String> lines = new ArrayList<>();
    long hash = hash(Long.parseLong(args[0]), lines);
    if (args.length > 1) {
      lines.forEach(System.out::println);
    }
    System.out.println(hash);
  }
}
