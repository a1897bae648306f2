package dev.tidemark.broker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.metadata.MetadataFeed;
import dev.tidemark.metadata.MetadataView;
import dev.tidemark.sim.DiskFaults.Change;
import java.io.IOException;
import java.util.List;
import java.util.Objects;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.metadata.RemoveTopicRecord;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.image.MetadataDelta;
import org.apache.kafka.image.MetadataImage;
import org.apache.kafka.image.MetadataProvenance;
import org.junit.jupiter.api.Test;

/** Replicas come to brokers, leave them, and fail on them. */
class ReplicaPlacementTest {
  private static final List<Integer> ALL = List.of(1, 2, 3);

  @Test
  void aPartitionMovesToOtherBrokersWithAllItHoldsAndLeavesNothingBehind() throws IOException {
    SimCluster cluster = new SimCluster(1, 3);
    cluster.create("t", List.of(1, 2), "file.delete.delay.ms", "100");
    assertThat(cluster.produceAll(1, "t", "a", "b")).isEqualTo(Errors.NONE);
    cluster.reassign("t", List.of(2, 3));
    cluster.await(() -> cluster.isr("t").equals(List.of(2, 3)) && cluster.leads(2, "t"));
    assertThat(cluster.produceAll(2, "t", "c")).isEqualTo(Errors.NONE);
    cluster.await(() -> cluster.broker(1).role("t", 0) == null);
    assertThat(cluster.broker(1).hasFolder("t")).isFalse();
    cluster.await(() -> cluster.highWatermark(3, "t") == 3);
    assertThat(cluster.read(3, "t")).containsExactly("a", "b", "c");
  }

  @Test
  void aDeletedTopicLeavesAllItsBrokers() throws IOException {
    SimCluster cluster = new SimCluster(2, 2);
    cluster.create("t", List.of(1, 2));
    assertThat(cluster.produceAll(1, "t", "a")).isEqualTo(Errors.NONE);
    cluster.delete("t");
    cluster.await(
        () -> cluster.broker(1).role("t", 0) == null && cluster.broker(2).role("t", 0) == null);
    assertThat(cluster.broker(1).hasFolder("t")).isFalse();
    assertThat(cluster.broker(2).hasFolder("t")).isFalse();
    cluster.create("t", List.of(2, 1));
    assertThat(cluster.produceAll(2, "t", "b")).isEqualTo(Errors.NONE);
    assertThat(cluster.read(2, "t")).containsExactly("b");
  }

  @Test
  void aFollowerWhoseDiskFailedForAMomentCatchesUpAgain() throws IOException {
    SimCluster cluster = new SimCluster(3, 3);
    cluster.create("t", ALL, "min.insync.replicas", "2");
    assertThat(cluster.produceAll(1, "t", "a")).isEqualTo(Errors.NONE);
    cluster.broker(3).faults().failNext(Change.WRITE, 0);
    assertThat(cluster.produceAll(1, "t", "b")).isIn(Errors.NONE, Errors.REQUEST_TIMED_OUT);
    cluster.await(() -> cluster.broker(3).role("t", 0) != null && cluster.endOffset(3, "t") == 2);
    cluster.await(() -> cluster.isr("t").size() == 3);
    assertThat(cluster.read(3, "t")).contains("a");
    assertThat(cluster.state("t").leader).isEqualTo(1);
  }

  @Test
  void aLeaderWhoseLogFailedHandsOverAndComesBackAsAFollower() throws IOException {
    SimCluster cluster = new SimCluster(4, 3);
    cluster.create("t", ALL, "min.insync.replicas", "2");
    assertThat(cluster.produceAll(1, "t", "a")).isEqualTo(Errors.NONE);
    cluster.broker(1).faults().failNext(Change.WRITE, 0);
    assertThat(cluster.produceAll(1, "t", "b")).isEqualTo(Errors.KAFKA_STORAGE_ERROR);
    cluster.await(() -> cluster.leads(2, "t"));
    assertThat(cluster.produceAll(2, "t", "c")).isEqualTo(Errors.NONE);
    cluster.await(() -> cluster.isr("t").size() == 3 && cluster.follows(1, "t", 2));
    cluster.await(() -> cluster.highWatermark(1, "t") == 2);
    assertThat(cluster.read(1, "t")).containsExactly("a", "c");
  }

  @Test
  void aBrokerThatStartsWhileItsPartitionsChangeTakesInWhatItMissed() throws IOException {
    SimCluster cluster = new SimCluster(5, 3);
    cluster.create("t", ALL, "min.insync.replicas", "1");
    assertThat(cluster.produceAll(1, "t", "a")).isEqualTo(Errors.NONE);
    cluster.broker(3).kill();
    cluster.await(() -> cluster.isr("t").equals(List.of(1, 2)));
    cluster.delete("t");
    cluster.create("t", List.of(1, 2));
    cluster.broker(3).start();
    cluster.await(() -> cluster.isUnfenced(3));
    assertThat(cluster.broker(3).role("t", 0)).isNull();
    assertThat(cluster.broker(3).hasFolder("t")).isFalse();
    assertThat(cluster.produceAll(1, "t", "b")).isEqualTo(Errors.NONE);
  }

  /**
   * What is set aside is nobody's replica any more, and yet the only copy if something is wrong.
   */
  @Test
  void aReplicaThatMovedAwayWhileItsBrokerWasDownIsSetAside() throws IOException {
    SimCluster cluster = new SimCluster(8, 3);
    cluster.create("t", List.of(1, 2), "min.insync.replicas", "1");
    assertThat(cluster.produceAll(1, "t", "a", "b")).isEqualTo(Errors.NONE);
    cluster.broker(1).kill();
    cluster.await(() -> cluster.leads(2, "t"));
    cluster.reassign("t", List.of(2, 3));
    cluster.await(() -> cluster.isr("t").equals(List.of(2, 3)));
    cluster.broker(1).start();
    cluster.await(() -> cluster.isUnfenced(1));
    assertThat(cluster.broker(1).role("t", 0)).isNull();
    assertThat(cluster.broker(1).folders())
        .noneMatch("t-0"::equals)
        .anyMatch(name -> name.startsWith("t-0.") && name.endsWith("-stray"));
    cluster.reassign("t", List.of(1, 2));
    cluster.await(() -> cluster.isr("t").containsAll(List.of(1, 2)));
    cluster.elect("t");
    cluster.await(() -> cluster.leads(1, "t") && cluster.highWatermark(1, "t") == 2);
    assertThat(cluster.read(1, "t")).containsExactly("a", "b");
  }

  /** The metadata go on while a starting broker opens its logs. */
  @Test
  void aBrokerThatOpensItsLogsMissesNothingOfTheMetadata() throws IOException {
    SimCluster cluster = new SimCluster(7, 2);
    cluster.create("t", List.of(1, 2), "min.insync.replicas", "1");
    assertThat(cluster.produceAll(1, "t", "a")).isEqualTo(Errors.NONE);
    cluster.broker(2).kill();
    cluster.broker(2).whileOpening(view -> removeFrom(view, "t"));
    cluster.broker(2).start();
    cluster.await(() -> cluster.broker(2).isReady());
    assertThat(cluster.broker(2).role("t", 0)).isNull();
    assertThat(cluster.broker(2).hasFolder("t")).isFalse();
  }

  private static void removeFrom(MetadataView view, String topic) {
    MetadataImage before = view.image();
    MetadataDelta delta = new MetadataDelta.Builder().setImage(before).build();
    Uuid id = Objects.requireNonNull(before.topics().getTopic(topic)).id();
    delta.replay(new RemoveTopicRecord().setTopicId(id));
    MetadataProvenance next =
        new MetadataProvenance(
            before.offset() + 1, before.provenance().lastContainedEpoch(), 0, true);
    MetadataFeed.publish(view, delta, delta.apply(next));
  }

  @Test
  void aHighWatermarkOutlivesTheProcess() throws IOException {
    SimCluster cluster = new SimCluster(6, 2);
    cluster.create("t", List.of(1, 2), "min.insync.replicas", "1");
    assertThat(cluster.produceAll(1, "t", "a", "b")).isEqualTo(Errors.NONE);
    cluster.await(() -> cluster.highWatermark(2, "t") == 2);
    cluster.runForMs(SimCluster.REPLICATION.checkpointIntervalMs() + 1_000);
    cluster.broker(1).kill();
    cluster.broker(2).kill();
    cluster.broker(2).start();
    cluster.await(() -> cluster.broker(2).role("t", 0) != null);
    assertThat(cluster.highWatermark(2, "t")).isEqualTo(2);
  }
}
