package dev.tidemark.broker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.protocol.LostTailField;
import dev.tidemark.protocol.StoredRecords;
import dev.tidemark.replica.LostTailEntry;
import dev.tidemark.replica.LostTailEntry.State;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import org.apache.kafka.common.message.AlterReplicaLogDirsRequestData;
import org.apache.kafka.common.message.DescribeLogDirsRequestData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Test;

/** A lost tail from the election on, as the brokers of a cluster list it. */
class LostTailLifeTest {
  private static final long WRITTEN_MS = 1_000;

  /** Broker 1 acknowledged two records with acks=1 that broker 2, which leads now, never got. */
  private static SimCluster afterAFailover(long seed) throws IOException {
    SimCluster cluster = new SimCluster(seed, 3);
    cluster.create("t", List.of(1, 2), "min.insync.replicas", "1");
    assertThat(cluster.produceAll(1, "t", "safe")).isEqualTo(Errors.NONE);
    cluster.cut(1, 2);
    assertThat(cluster.answer(cluster.produce(1, "t", 1, 1000, "b", "c"))).isEqualTo(Errors.NONE);
    cluster.broker(1).kill();
    cluster.await(() -> cluster.leads(2, "t"));
    cluster.heal();
    return cluster;
  }

  private static LostTailField.Answer ask(
      SimCluster cluster, int broker, ApiKeys api, int version, ApiMessage request, String words) {
    LostTailField.ask(request, words);
    return (LostTailField.Answer)
        Objects.requireNonNull(
            cluster.answer(
                cluster.send(broker, api, (short) version, request, LostTailField::answerIn)));
  }

  private static LostTailField.Answer read(SimCluster cluster, int broker, String words) {
    DescribeLogDirsRequestData none = new DescribeLogDirsRequestData();
    return ask(cluster, broker, ApiKeys.DESCRIBE_LOG_DIRS, 4, none, words);
  }

  private static LostTailField.Answer change(SimCluster cluster, int broker, String words) {
    AlterReplicaLogDirsRequestData none = new AlterReplicaLogDirsRequestData();
    return ask(cluster, broker, ApiKeys.ALTER_REPLICA_LOG_DIRS, 2, none, words);
  }

  private static List<LostTailEntry> list(SimCluster cluster, int broker) {
    List<String> lines = read(cluster, broker, "list").text().lines().toList();
    assertThat(lines.get(0)).isEqualTo("" + (lines.size() - 1));
    return lines.stream().skip(1).map(LostTailEntry::parse).toList();
  }

  @Test
  void itIsUnconfirmedAtTheNewLeaderAndThenExactAtTheOldOne() throws IOException {
    SimCluster cluster = afterAFailover(1);
    LostTailEntry open = list(cluster, 2).get(0);
    assertThat(list(cluster, 2)).hasSize(1);
    assertThat(open.state()).isEqualTo(State.UNCONFIRMED);
    assertThat(open.ofBroker()).isEqualTo(1);
    assertThat(open.startOffset()).isEqualTo(1);
    assertThat(open.endOffset()).as("nothing was heard of the two").isEqualTo(1);
    assertThat(cluster.produceAll(2, "t", "d")).isEqualTo(Errors.NONE);

    cluster.broker(1).start();
    cluster.await(() -> cluster.isr("t").size() == 2);
    assertThat(list(cluster, 2)).isEmpty();
    assertThat(list(cluster, 1)).hasSize(1);
    LostTailEntry exact = list(cluster, 1).get(0);
    assertThat(exact.state()).isEqualTo(State.EXACT);
    assertThat(exact.ofBroker()).isEqualTo(1);
    assertThat(exact.firstEpoch()).isZero();
    assertThat(exact.lastEpoch()).isZero();
    assertThat(exact.leaderEpoch()).isEqualTo(open.leaderEpoch());
    assertThat(exact.startOffset()).isEqualTo(1);
    assertThat(exact.endOffset()).isEqualTo(3);
    assertThat(exact.records()).isEqualTo(2);
    assertThat(exact.committedRecords()).isZero();
    assertThat(exact.keptBytes()).isEqualTo(exact.bytes());
  }

  @Test
  void itsRecordsAreReadAndItIsDropped() throws IOException {
    SimCluster cluster = afterAFailover(2);
    cluster.broker(1).start();
    cluster.await(() -> cluster.isr("t").size() == 2);
    LostTailEntry exact = list(cluster, 1).get(0);
    String place = "t 0 " + exact.name();
    ByteBuffer kept = read(cluster, 1, "read " + place + " 0").content();
    assertThat(kept.remaining()).isEqualTo((int) exact.bytes());
    assertThat(
            StoredRecords.of(kept.duplicate()).stream()
                .map(
                    record ->
                        StandardCharsets.UTF_8
                            .decode(Objects.requireNonNull(record.value()))
                            .toString()))
        .containsExactly("b", "c");
    LostTailField.Answer end = read(cluster, 1, "read " + place + " " + exact.bytes());
    assertThat(end.done()).isTrue();
    assertThat(end.content().hasRemaining()).isFalse();

    assertThat(change(cluster, 1, "drop " + place).done()).isTrue();
    assertThat(list(cluster, 1)).isEmpty();
    LostTailField.Answer again = change(cluster, 1, "drop " + place);
    assertThat(again.done()).isFalse();
    assertThat(again.text()).isEqualTo("broker 1 lists no lost tail t-0:" + exact.name());
  }

  @Test
  void anUnconfirmedOneOutlivesARestartOfTheNewLeader() throws IOException {
    SimCluster cluster = afterAFailover(3);
    List<LostTailEntry> before = list(cluster, 2);
    restart(cluster, 2);
    assertThat(list(cluster, 2)).isEqualTo(before).hasSize(1);
    assertThat(change(cluster, 2, "drop t 0 " + before.get(0).name()).done()).isTrue();
    assertThat(list(cluster, 2)).isEmpty();
    restart(cluster, 2);
    assertThat(list(cluster, 2)).as("after it was dropped").isEmpty();
  }

  private static void restart(SimCluster cluster, int leader) {
    cluster.runForMs(WRITTEN_MS);
    cluster.broker(leader).kill();
    cluster.await(() -> cluster.state("t").leader == -1);
    cluster.broker(leader).start();
    cluster.await(() -> cluster.leads(leader, "t"));
  }

  @Test
  void theOldestMakeRoomAlsoAfterARestart() throws IOException {
    SimCluster cluster = new SimCluster(7, 3);
    cluster.create("t", List.of(1, 2), "min.insync.replicas", "1");
    assertThat(cluster.produceAll(1, "t", "safe")).isEqualTo(Errors.NONE);
    StringBuilder file = new StringBuilder();
    for (int i = 1; i <= 10; i++) {
      file.append(cluster.topicId("t"))
          .append(" t 0 1-%d UNCONFIRMED 3 0 0 %d 1 1 -1 -1 -1 0 -1 %d%n".formatted(i, i, i));
    }
    cluster.broker(2).kill();
    cluster.await(() -> cluster.isr("t").size() == 1);
    cluster
        .broker(2)
        .folder()
        .writeAtomically("tidemark-open-losses", file.toString().getBytes(StandardCharsets.UTF_8));
    cluster.broker(2).start();
    cluster.await(() -> cluster.isr("t").size() == 2);
    cluster.broker(1).kill();
    cluster.await(() -> cluster.leads(2, "t"));
    assertThat(list(cluster, 2))
        .extracting(LostTailEntry::ofBroker)
        .containsExactly(3, 3, 3, 3, 3, 3, 3, 3, 3, 1);
    assertThat(list(cluster, 2)).extracting(LostTailEntry::atMs).startsWith(2L).contains(10L);
  }

  @Test
  void itIsSettledAlsoWhenTheOldLeaderComesBackToAThirdOne() throws IOException {
    SimCluster cluster = new SimCluster(4, 3);
    cluster.create("t", List.of(1, 2, 3), "min.insync.replicas", "1");
    assertThat(cluster.produceAll(1, "t", "a")).isEqualTo(Errors.NONE);
    cluster.broker(1).kill();
    cluster.await(() -> cluster.leads(2, "t"));
    cluster.await(() -> cluster.follows(3, "t", 2));
    assertThat(list(cluster, 2)).hasSize(1);
    cluster.runForMs(WRITTEN_MS);
    cluster.broker(2).kill();
    cluster.await(() -> cluster.leads(3, "t"));
    assertThat(list(cluster, 3)).extracting(LostTailEntry::ofBroker).containsExactly(2);
    cluster.broker(2).start();
    cluster.await(() -> cluster.isr("t").size() == 2);
    assertThat(list(cluster, 3)).isEmpty();
    assertThat(list(cluster, 2)).extracting(LostTailEntry::ofBroker).containsExactly(1);
    cluster.broker(1).start();
    cluster.await(() -> cluster.isr("t").size() == 3);
    cluster.await(
        () -> cluster.broker(2).image().topics().getTopic("t").partitions().get(0).isr.length == 3);
    assertThat(list(cluster, 2)).isEmpty();
  }

  /** KAFKA-20554: who is no replica any more deletes its log and has nothing to compare. */
  @Test
  void itStaysUnconfirmedWhenAReassignmentTakesTheOldLeaderAway() throws IOException {
    SimCluster cluster = new SimCluster(8, 3);
    cluster.create("t", List.of(1, 2, 3), "min.insync.replicas", "1");
    assertThat(cluster.produceAll(1, "t", "safe")).isEqualTo(Errors.NONE);
    cluster.cut(1, 2);
    cluster.cut(1, 3);
    assertThat(cluster.answer(cluster.produce(1, "t", 1, 1000, "b", "c"))).isEqualTo(Errors.NONE);
    var all = cluster.produce(1, "t", -1, 50_000, "d");
    cluster.reassign("t", List.of(2, 3));
    cluster.await(() -> cluster.leads(2, "t"));
    assertThat(cluster.answer(all)).isEqualTo(Errors.NOT_LEADER_OR_FOLLOWER);

    List<LostTailEntry> listed = list(cluster, 2);
    assertThat(listed).hasSize(1);
    assertThat(listed.get(0).state()).isEqualTo(State.UNCONFIRMED);
    assertThat(listed.get(0).ofBroker()).isEqualTo(1);
    assertThat(listed.get(0).startOffset()).isEqualTo(1);
    cluster.heal();
    cluster.await(() -> cluster.broker(1).role("t", 0) == null);
    assertThat(cluster.produceAll(2, "t", "e")).isEqualTo(Errors.NONE);
    assertThat(cluster.read(2, "t")).containsExactly("safe", "e");
    assertThat(list(cluster, 2)).isEqualTo(listed);
  }

  @Test
  void withItsTopicItIsForgotten() throws IOException {
    SimCluster cluster = afterAFailover(5);
    assertThat(list(cluster, 2)).hasSize(1);
    cluster.delete("t");
    cluster.await(() -> cluster.broker(2).role("t", 0) == null);
    assertThat(list(cluster, 2)).isEmpty();
  }

  @Test
  void whatIsNotUnderstoodIsRefusedAndChangesNothing() throws IOException {
    SimCluster cluster = afterAFailover(6);
    String place = "t 0 " + list(cluster, 2).get(0).name();
    assertThat(read(cluster, 2, "drop " + place).done()).as("in a call that reads").isFalse();
    assertThat(change(cluster, 2, "list").text()).contains("does not understand 'list'");
    assertThat(read(cluster, 2, "read none 0 1-1 0").text())
        .isEqualTo("broker 2 has no replica of none-0");
    assertThat(list(cluster, 2)).hasSize(1);
  }
}
