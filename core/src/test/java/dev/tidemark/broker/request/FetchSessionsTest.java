package dev.tidemark.broker.request;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.env.Clock;
import dev.tidemark.env.Randomness;
import java.util.List;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchRequestData.FetchPartition;
import org.apache.kafka.common.message.FetchRequestData.FetchTopic;
import org.apache.kafka.common.message.FetchRequestData.ForgottenTopic;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Test;

class FetchSessionsTest {
  private static final short VERSION = 17;
  private static final Uuid TOPIC = new Uuid(1, 2);

  private long nowMs;
  private final FetchSessions sessions = new FetchSessions(2, new TestClock(), new Counting());

  private final class TestClock implements Clock {
    @Override
    public long wallMs() {
      return nowMs;
    }

    @Override
    public long monotonicNs() {
      return nowMs * 1_000_000;
    }
  }

  /** Counts up: ids are easy to read in failures. */
  private static final class Counting implements Randomness {
    private int next = 100;

    @Override
    public long nextLong() {
      return next++;
    }

    @Override
    public int nextInt(int boundExclusive) {
      return next++;
    }

    @Override
    public void nextBytes(byte[] bytes) {
      throw new AssertionError("not needed");
    }

    @Override
    public Randomness fork(String label) {
      throw new AssertionError("not needed");
    }
  }

  private static FetchRequestData request(int sessionId, int epoch, int... partitions) {
    FetchTopic topic = new FetchTopic().setTopicId(TOPIC);
    for (int partition : partitions) {
      topic.partitions().add(new FetchPartition().setPartition(partition).setFetchOffset(7));
    }
    FetchRequestData data = new FetchRequestData().setSessionId(sessionId).setSessionEpoch(epoch);
    return partitions.length == 0 ? data : data.setTopics(List.of(topic));
  }

  private static List<Integer> partitionsOf(FetchSessions.Lookup lookup) {
    return lookup.session().inOrder().stream().map(one -> one.key().partition()).toList();
  }

  @Test
  void aFirstFetchOpensASessionAndTheNextNamesOnlyChanges() {
    FetchSessions.Lookup first = sessions.lookUp(request(0, 0, 0, 1, 2), VERSION);
    assertThat(first.incremental()).isFalse();
    int id = first.session().id();
    assertThat(id).isNotZero();

    FetchRequestData next = request(id, 1, 3);
    next.setForgottenTopicsData(
        List.of(new ForgottenTopic().setTopicId(TOPIC).setPartitions(List.of(1))));
    FetchSessions.Lookup second = sessions.lookUp(next, VERSION);
    assertThat(second.incremental()).isTrue();
    assertThat(partitionsOf(second)).containsExactly(0, 2, 3);
  }

  @Test
  void aFetchWithTheWrongEpochOrAnUnknownSessionIsRefused() {
    int id = sessions.lookUp(request(0, 0, 0), VERSION).session().id();
    assertThat(sessions.lookUp(request(id, 5), VERSION).error())
        .isEqualTo(Errors.INVALID_FETCH_SESSION_EPOCH);
    assertThat(sessions.lookUp(request(id + 1, 1), VERSION).error())
        .isEqualTo(Errors.FETCH_SESSION_ID_NOT_FOUND);
    assertThat(sessions.lookUp(request(id, 1), (short) 12).error())
        .isEqualTo(Errors.FETCH_SESSION_TOPIC_ID_ERROR);
  }

  @Test
  void aFinalEpochClosesTheSession() {
    int id = sessions.lookUp(request(0, 0, 0), VERSION).session().id();
    FetchSessions.Lookup last = sessions.lookUp(request(id, -1, 0), VERSION);
    assertThat(last.session().id()).isZero();
    assertThat(last.incremental()).isFalse();
    assertThat(sessions.size()).isZero();
  }

  @Test
  void whenAllSlotsAreTakenOnlyALongIdleSessionMakesRoom() {
    int oldest = sessions.lookUp(request(0, 0, 0), VERSION).session().id();
    nowMs = 1_000;
    sessions.lookUp(request(0, 0, 0), VERSION);
    assertThat(sessions.lookUp(request(0, 0, 0), VERSION).session().id()).isZero();

    nowMs = 120_000;
    assertThat(sessions.lookUp(request(0, 0, 0), VERSION).session().id()).isNotZero();
    assertThat(sessions.lookUp(request(oldest, 1), VERSION).error())
        .isEqualTo(Errors.FETCH_SESSION_ID_NOT_FOUND);
  }

  @Test
  void aServedPartitionGoesBehindTheOthers() {
    FetchSessions.Lookup lookup = sessions.lookUp(request(0, 0, 0, 1, 2), VERSION);
    lookup.session().moveToEnd(lookup.session().inOrder().get(0));
    assertThat(partitionsOf(lookup)).containsExactly(1, 2, 0);
  }

  @Test
  void thePartitionsOfAllSessionsAreBoundedTogether() {
    int[] half = java.util.stream.IntStream.range(0, FetchSessions.MAX_PARTITIONS / 2).toArray();
    int first = sessions.lookUp(request(0, 0, half), VERSION).session().id();
    int second = sessions.lookUp(request(0, 0, half), VERSION).session().id();
    assertThat(first).isNotZero();
    assertThat(second).isNotZero();
    assertThat(sessions.lookUp(request(first, 1, -7), VERSION).error())
        .as("there is no room for one more: the client begins anew")
        .isEqualTo(Errors.FETCH_SESSION_ID_NOT_FOUND);
    assertThat(sessions.lookUp(request(0, 0, half), VERSION).session().id()).isNotZero();
    sessions.lookUp(request(second, -1), VERSION);
    FetchSessions.Lookup tooMany =
        sessions.lookUp(request(0, 0, java.util.Arrays.copyOf(half, half.length + 1)), VERSION);
    assertThat(tooMany.session().id()).as("served, not kept").isZero();
  }
}
