package dev.tidemark.broker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.log.LogId;
import dev.tidemark.log.LogSettings;
import dev.tidemark.metadata.Reply;
import dev.tidemark.sim.VirtualClock;
import dev.tidemark.sim.VirtualDisk;
import dev.tidemark.sim.VirtualTimers;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.NetworkException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The controller is told in which folder a partition was found until it has noted it. */
class AssignmentCorrectionsTest {
  private static final Uuid HERE = new Uuid(1, 1);
  private static final Uuid ELSEWHERE = new Uuid(1, 2);

  private final VirtualTimers timers = new VirtualTimers(new VirtualClock(0));
  private final List<LogId> asked = new ArrayList<>();
  private final List<Reply<Uuid>> replies = new ArrayList<>();
  private DataFolder folder;
  private AssignmentCorrections corrections;

  @BeforeEach
  void withAFolder() throws IOException {
    folder = DataFolder.load(new VirtualDisk(1).root(), HERE, "boot");
    LedPartitionCalls calls =
        new LedPartitionCalls() {
          @Override
          public void renew(LogId partition, Reply<Integer> reply) {
            throw new AssertionError(partition);
          }

          @Override
          public void assign(LogId partition, Uuid directoryId, Reply<Uuid> reply) {
            assertThat(directoryId).isEqualTo(HERE);
            asked.add(partition);
            replies.add(reply);
          }
        };
    corrections = new AssignmentCorrections(calls, id -> false, timers);
  }

  private LogId found(String topic) {
    LogId id = new LogId(topic, 0, new Uuid(2, topic.hashCode()));
    folder.added(id);
    corrections.found(new AssignedLog(id, ELSEWHERE, LogSettings.defaults()), folder);
    return id;
  }

  private void failLast() {
    replies.get(replies.size() - 1).fail(new NetworkException("nobody there"));
  }

  @Test
  void whatFailedIsAskedAgainAfterAPauseThatGrows() {
    LogId id = found("t");
    corrections.tell();
    long pauseMs = AssignmentCorrections.FIRST_PAUSE_MS;
    for (int attempts = 1; attempts < 20; attempts++) {
      assertThat(asked).hasSize(attempts);
      failLast();
      timers.advanceMs(pauseMs - 1);
      assertThat(asked).hasSize(attempts);
      timers.advanceMs(1);
      pauseMs = Math.min(2 * pauseMs, AssignmentCorrections.LONGEST_PAUSE_MS);
    }
    replies.get(replies.size() - 1).succeed(HERE);
    timers.advanceMs(10 * AssignmentCorrections.LONGEST_PAUSE_MS);
    assertThat(asked).hasSize(20).containsOnly(id);
  }

  @Test
  void othersHaveTheirTurnAndTheFirstPauseIsShortAgain() {
    LogId first = found("t");
    LogId second = found("u");
    corrections.tell();
    failLast();
    timers.advanceMs(AssignmentCorrections.FIRST_PAUSE_MS);
    assertThat(asked).containsExactly(first, second);
    replies.get(1).succeed(HERE);
    assertThat(asked).containsExactly(first, second, first);
    failLast();
    timers.advanceMs(AssignmentCorrections.FIRST_PAUSE_MS);
    assertThat(asked).containsExactly(first, second, first, first);
  }

  @Test
  void afterTheStopNothingIsAsked() {
    LogId unused = found("t");
    corrections.tell();
    failLast();
    corrections.stop();
    timers.advanceMs(AssignmentCorrections.LONGEST_PAUSE_MS);
    assertThat(asked).hasSize(1);
  }
}
