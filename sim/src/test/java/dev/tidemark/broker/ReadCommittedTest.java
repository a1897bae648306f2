package dev.tidemark.broker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.log.AppendOrigin;
import dev.tidemark.log.Batches;
import dev.tidemark.sim.VirtualClock;
import dev.tidemark.sim.VirtualDisk;
import java.io.IOException;
import org.apache.kafka.common.message.FetchResponseData.AbortedTransaction;
import org.apache.kafka.common.message.FetchResponseData.PartitionData;
import org.apache.kafka.common.message.ListOffsetsResponseData.ListOffsetsPartitionResponse;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.FetchResponse;
import org.apache.kafka.common.requests.ListOffsetsRequest;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What readers of committed records see of transactions, as a coordinator would write them. */
class ReadCommittedTest {
  private static final String TOPIC = "events";
  private static final long FIRST = 7;
  private static final long SECOND = 8;
  private static final int LONG_MS = 10_000;

  private final VirtualDisk disk = new VirtualDisk(1);
  private final VirtualClock clock = new VirtualClock(1_000_000);
  private SimBroker broker;

  @BeforeEach
  void start() throws IOException {
    broker = SimBroker.formatted(disk, clock);
    assertThat(client().create(TOPIC)).isEqualTo(Errors.NONE);
  }

  private SimClient client() {
    return new SimClient(broker, clock);
  }

  private void inTransaction(long producerId, int sequence) throws Exception {
    broker
        .leader(TOPIC)
        .append(
            Batches.transactional(producerId, 0, sequence, clock.wallMs(), "t"),
            AppendOrigin.COORDINATOR);
  }

  private void end(long producerId, boolean commit) throws Exception {
    broker
        .leader(TOPIC)
        .append(Batches.marker(producerId, 0, commit, 0, clock.wallMs()), AppendOrigin.COORDINATOR);
  }

  private long committedEnd() {
    return client().committedOffset(TOPIC, ListOffsetsRequest.LATEST_TIMESTAMP).offset();
  }

  @Test
  void theRecordAtTheStableOffsetIsNotReadWhileItsTransactionIsOpen() throws Exception {
    client().produce(TOPIC, 1);
    clock.advanceMs(100);
    long laterMs = clock.wallMs();
    inTransaction(FIRST, 0);
    client().produce(TOPIC, 1);

    PartitionData committed = client().fetch(SimFetch.of(TOPIC, 0).readCommitted());
    assertThat(SimFetch.offsets(committed)).containsExactly(0L);
    assertThat(committed.lastStableOffset()).isEqualTo(1);
    assertThat(committed.highWatermark()).isEqualTo(3);
    assertThat(SimFetch.offsets(client().fetch(SimFetch.of(TOPIC, 1).readCommitted()))).isEmpty();
    assertThat(committedEnd()).isEqualTo(1);
    assertThat(client().committedOffset(TOPIC, laterMs).offset()).isEqualTo(-1);
    ListOffsetsPartitionResponse newest =
        client().committedOffset(TOPIC, ListOffsetsRequest.MAX_TIMESTAMP);
    assertThat(newest.offset()).isZero();

    PartitionData all = client().fetch(SimFetch.of(TOPIC, 0));
    assertThat(SimFetch.offsets(all)).containsExactly(0L, 1L, 2L);
    assertThat(all.abortedTransactions()).isNullOrEmpty();
    assertThat(client().latest(TOPIC)).isEqualTo(3);
    assertThat(client().offset(TOPIC, laterMs).offset()).isEqualTo(1);

    end(FIRST, true);
    assertThat(committedEnd()).isEqualTo(4);
    PartitionData ended = client().fetch(SimFetch.of(TOPIC, 1).readCommitted());
    assertThat(SimFetch.offsets(ended)).containsExactly(1L, 2L, 3L);
    assertThat(ended.abortedTransactions()).isEmpty();
  }

  @Test
  void aReaderThatWaitsAtAnOpenTransactionIsAnsweredWhenItEndsWithTheAbortedOnesInOrder()
      throws Exception {
    // KAFKA-5376
    inTransaction(FIRST, 0);
    SimFetch fromStart = SimFetch.of(TOPIC, 0).readCommitted().waitFor(1, LONG_MS);
    SimExchange fetch = broker.send(fromStart.request());
    inTransaction(SECOND, 0);
    client().produce(TOPIC, 1);
    end(SECOND, false);
    assertThat(fetch.isAnswered()).as("nothing of that may be read yet").isFalse();
    end(FIRST, false);
    PartitionData part = SimFetch.parts(fetch.answer(FetchResponse.class)).get(0);
    assertThat(SimFetch.offsets(part)).containsExactly(0L, 1L, 2L, 3L, 4L);
    assertThat(part.abortedTransactions()).containsExactly(aborted(FIRST, 0), aborted(SECOND, 1));
    assertThat(part.lastStableOffset()).isEqualTo(5);
  }

  private static AbortedTransaction aborted(long producerId, long firstOffset) {
    return new AbortedTransaction().setProducerId(producerId).setFirstOffset(firstOffset);
  }

  @Test
  void anOpenTransactionHoldsTheStableOffsetFromTheFirstAnswerAfterAnyRestartOn() throws Exception {
    client().produce(TOPIC, 2);
    inTransaction(FIRST, 0);
    client().produce(TOPIC, 2);
    for (int run = 0; run < 4; run++) {
      broker = run % 2 == 0 ? broker.killedAndStarted() : broker.stoppedAndStarted();
      assertThat(committedEnd()).as("run %d", run).isEqualTo(2);
      assertThat(SimFetch.offsets(client().fetch(SimFetch.of(TOPIC, 0).readCommitted())))
          .as("run %d", run)
          .containsExactly(0L, 1L);
    }
    end(FIRST, false);
    broker = broker.killedAndStarted();
    PartitionData part = client().fetch(SimFetch.of(TOPIC, 0).readCommitted());
    assertThat(part.abortedTransactions()).containsExactly(aborted(FIRST, 2));
    assertThat(committedEnd()).isEqualTo(6);
  }
}
