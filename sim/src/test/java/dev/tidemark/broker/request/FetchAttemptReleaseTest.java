package dev.tidemark.broker.request;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.broker.Partitions;
import dev.tidemark.log.AppendOrigin;
import dev.tidemark.log.Batches;
import dev.tidemark.log.LogId;
import dev.tidemark.log.LogOpening;
import dev.tidemark.log.LogSettings;
import dev.tidemark.log.PartitionLog;
import dev.tidemark.replica.CommittedPartition;
import dev.tidemark.replica.HeldBackground;
import dev.tidemark.replica.HostedReplica;
import dev.tidemark.replica.PartitionLeader;
import dev.tidemark.replica.ReplicaContext;
import dev.tidemark.sim.VirtualClock;
import dev.tidemark.sim.VirtualDisk;
import dev.tidemark.sim.VirtualTimers;
import java.util.List;
import java.util.Objects;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.FetchRequestData.FetchPartition;
import org.apache.kafka.common.message.FetchResponseData.PartitionData;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.FetchResponse;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A slice of a file that a fetch found and does not send is given back. */
class FetchAttemptReleaseTest {
  private static final LogId ID = new LogId("events", 0, new Uuid(1, 2));
  private static final String TRANSACTIONS = "events-0/00000000000000000000.txnindex";

  private final VirtualDisk disk = new VirtualDisk(1);
  private final VirtualClock clock = new VirtualClock(1_000_000);
  private final Partitions partitions = new Partitions();

  @BeforeEach
  void hostAPartitionWithAnAbortedTransaction() throws Exception {
    PartitionLog log =
        PartitionLog.open(
            ID,
            disk.root().directory(ID.folderName()),
            LogSettings.defaults(),
            LogOpening.unknown(),
            clock);
    HostedReplica replica =
        new HostedReplica(
            log, 0, ReplicaContext.alone(1, new HeldBackground(), new VirtualTimers(clock), clock));
    replica.apply(new CommittedPartition(1, 0, 0, List.of(1), List.of(1)), 1);
    PartitionLeader leader = Objects.requireNonNull(replica.leader());
    leader.append(Batches.transactional(7, 0, 0, clock.wallMs(), "a"), AppendOrigin.COORDINATOR);
    leader.append(Batches.marker(7, 0, false, 0, clock.wallMs()), AppendOrigin.COORDINATOR);
    partitions.host(replica);
    log.releaseIdleFiles();
    log.releaseIdleFiles();
  }

  private FetchAttempt attempt() {
    FetchedPartition wanted =
        new FetchedPartition(new FetchedPartition.Key(null, ID.topicId(), ID.partition()));
    wanted.update(new FetchPartition().setPartition(ID.partition()).setPartitionMaxBytes(5000));
    FetchAttempt attempt =
        new FetchAttempt(
            partitions, 5000, new FetchReader(true, true, true, ""), ReadReplicas.LEADER);
    attempt.readAll(List.of(wanted));
    return attempt;
  }

  @Test
  void whenTheAbortedTransactionsCannotBeRead() {
    disk.rot(TRANSACTIONS, 0);
    PartitionData data = attempt().parts().get(0).data();
    assertThat(data.errorCode()).isEqualTo(Errors.KAFKA_STORAGE_ERROR.code());
    assertThat(disk.slicesInUse()).isZero();
  }

  @Test
  void whenTheFetchIsToWait() {
    FetchAttempt attempt = attempt();
    assertThat(FetchResponse.recordsSize(attempt.parts().get(0).data())).isPositive();
    assertThat(disk.slicesInUse()).isEqualTo(1);
    attempt.release();
    assertThat(disk.slicesInUse()).isZero();
  }
}
