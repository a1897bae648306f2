package dev.tidemark.quorum;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tidemark.env.Directory;
import dev.tidemark.log.CorruptLog;
import dev.tidemark.sim.DiskFaults.PowerWentOff;
import dev.tidemark.sim.VirtualClock;
import dev.tidemark.sim.VirtualDisk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.metadata.TopicRecord;
import org.apache.kafka.common.record.internal.ControlRecordType;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MutableRecordBatch;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.server.common.ApiMessageAndVersion;
import org.junit.jupiter.api.Test;

/** The metadata log with snapshots: whatever happens, it leads to the same topics. */
class MetadataSnapshotTest {
  private static final Uuid DIRECTORY = new Uuid(4, 4);
  private static final SnapshotSettings SMALL = new SnapshotSettings(600, 0);

  private final VirtualClock clock = new VirtualClock(1_700_000_000_000L);
  private VirtualDisk disk = new VirtualDisk(1);

  /** A state machine as simple as can be: the topics in the order in which they came. */
  private final class Life implements MetadataLog.Completion {
    private final List<String> topics = new ArrayList<>();
    private final List<String> committed = new ArrayList<>();
    private final SingleVoterLog log;
    private int snapshots;

    Life(SnapshotSettings settings) throws IOException {
      log = new SingleVoterLog(disk.root(), 1, DIRECTORY, clock, settings);
      log.start(this::onCommit);
      committed.addAll(topics);
    }

    private void onCommit(MetadataBatch batch) {
      for (ApiMessageAndVersion record : batch.records()) {
        topics.add(((TopicRecord) record.message()).name());
      }
    }

    void add(String topic) throws IOException {
      append(topic);
      if (log.isSnapshotDue()) {
        clock.advanceMs(20_000);
        takeSnapshot();
      }
      clock.advanceMs(20_000);
    }

    void append(String topic) {
      log.append(List.of(record(topic)), this);
    }

    void takeSnapshot() throws IOException {
      snapshots++;
      log.takeSnapshot(
          to -> {
            topics.forEach(name -> to.write(record(name)));
            to.close(true); // as Kafka's images do
          });
    }

    @Override
    public void onCommitted(long lastOffset) {
      committed.clear();
      committed.addAll(topics);
    }

    @Override
    public void onFailed(Throwable cause) {
      throw new AssertionError(cause);
    }
  }

  private static ApiMessageAndVersion record(String topic) {
    return new ApiMessageAndVersion(
        new TopicRecord().setName(topic).setTopicId(new Uuid(0, topic.hashCode())), (short) 0);
  }

  private Directory folder() {
    return disk.root().directory("__cluster_metadata-0");
  }

  private List<String> filesWith(String suffix) throws IOException {
    return folder().list().stream().filter(name -> name.endsWith(suffix)).toList();
  }

  private Life withTopics(int count) throws IOException {
    Life life = new Life(SMALL);
    for (int i = 0; i < count; i++) {
      life.add("topic-" + i);
    }
    return life;
  }

  @Test
  void what_a_snapshot_stands_for_goes_and_a_start_reads_the_snapshot_and_the_rest()
      throws Exception {
    Life life = withTopics(40);
    assertThat(life.snapshots).isGreaterThan(3);
    assertThat(filesWith(".checkpoint")).hasSize(2);
    assertThat(filesWith(".log")).hasSize(2).doesNotContain("00000000000000000000.log");
    life.add("last");
    life.log.close();

    assertThat(new Life(SMALL).topics).isEqualTo(life.topics).hasSize(41);
  }

  @Test
  void a_snapshot_is_a_krafts_header_records_and_footer() throws Exception {
    Life life = withTopics(40);
    String newest = filesWith(".checkpoint").get(1);
    assertThat(newest).matches("\\d{20}-\\d{10}\\.checkpoint");
    List<String> kinds = new ArrayList<>();
    int records = 0;
    byte[] file = folder().readAll(newest);
    for (MutableRecordBatch batch :
        MemoryRecords.readableRecords(ByteBuffer.wrap(file)).batches()) {
      batch.ensureValid();
      for (Record record : batch) {
        if (batch.isControlBatch()) {
          kinds.add(ControlRecordType.parse(record.key()).name());
        } else {
          records++;
        }
      }
    }
    assertThat(kinds)
        .containsExactly("SNAPSHOT_HEADER", "KRAFT_VERSION", "KRAFT_VOTERS", "SNAPSHOT_FOOTER");
    assertThat(records).isBetween(1, life.topics.size());
  }

  @Test
  void after_power_loss_at_any_change_all_that_was_committed_is_there() throws Exception {
    disk = new VirtualDisk(3);
    withTopics(25).log.close();
    long changes = disk.faults().changes();
    assertThat(filesWith(".checkpoint")).isNotEmpty();
    for (long change = 0; change < changes; change++) {
      disk = new VirtualDisk(3);
      List<String> committed = new ArrayList<>();
      disk.faults().powerOffAt(change);
      Life life = null;
      try {
        life = new Life(SMALL);
        for (int i = 0; i < 25; i++) {
          life.add("topic-" + i);
        }
        life.log.close();
      } catch (PowerWentOff e) {
        disk.powerLoss(change);
      }
      if (life != null) {
        committed.addAll(life.committed);
      }
      Life after = new Life(SMALL);
      assertThat(after.topics).as("power off at change %s", change).startsWith(array(committed));
      assertThat(after.topics.size()).isLessThanOrEqualTo(committed.size() + 1);
      after.add("more");
      after.log.close();
      assertThat(new Life(SMALL).topics).as("change %s", change).isEqualTo(after.topics);
    }
  }

  @Test
  void after_a_failure_of_any_change_of_a_snapshot_the_log_takes_writes_again() throws Exception {
    int failedSnapshots = 0;
    for (long after = 0; after == 0 || failedSnapshots == after; after++) {
      disk = new VirtualDisk(7);
      Life life = withTopics(20);
      while (!life.log.isSnapshotDue()) {
        life.append("more-" + life.topics.size());
      }
      disk.faults().failAt(disk.faults().changes() + after);
      try {
        life.takeSnapshot();
      } catch (IOException e) {
        failedSnapshots++;
      }
      disk.faults().failAt(-1);
      clock.advanceMs(1_000);
      String when = "failure of change " + after;
      life.append("first");
      life.append("second");
      assertThat(life.topics).as(when).endsWith("first", "second");
      life.takeSnapshot();
      life.log.close();
      assertThat(new Life(SMALL).topics).as(when).isEqualTo(life.topics);
    }
    assertThat(failedSnapshots).isGreaterThan(10);
  }

  private static String[] array(List<String> list) {
    return list.toArray(new String[0]);
  }

  @Test
  void a_snapshot_that_rotted_is_passed_over_for_the_one_before_and_the_log() throws Exception {
    Life life = withTopics(40);
    life.log.close();
    disk.rot("__cluster_metadata-0/" + filesWith(".checkpoint").get(1), 200);
    assertThat(new Life(SMALL).topics).isEqualTo(life.topics);
  }

  @Test
  void without_any_whole_snapshot_a_shortened_log_does_not_start() throws Exception {
    Life life = withTopics(40);
    life.log.close();
    for (String name : filesWith(".checkpoint")) {
      disk.rot("__cluster_metadata-0/" + name, 200);
    }
    assertThatThrownBy(() -> new Life(SMALL))
        .isInstanceOf(CorruptLog.class)
        .hasMessageContaining("no snapshot there holds what was before")
        .hasMessageContaining("restore");
  }

  @Test
  void time_makes_a_snapshot_due_as_well_as_bytes_if_anything_was_committed() throws Exception {
    SnapshotSettings hourly = new SnapshotSettings(1 << 20, 3_600_000);
    Life life = new Life(hourly);
    life.add("a");
    assertThat(life.snapshots).isZero();
    clock.advanceMs(3_600_000);
    life.add("b");
    assertThat(life.snapshots).isEqualTo(1);
    clock.advanceMs(3_600_000);
    assertThat(life.log.isSnapshotDue()).isFalse();
  }

  @Test
  void an_interrupted_first_start_leaves_no_log_without_its_voter() throws Exception {
    disk = new VirtualDisk(5);
    new Life(SMALL).log.close();
    long changes = disk.faults().changes();
    for (long change = 0; change < changes; change++) {
      disk = new VirtualDisk(5);
      disk.faults().powerOffAt(change);
      try {
        new Life(SMALL).log.close();
      } catch (PowerWentOff e) {
        disk.powerLoss(change);
      }
      new Life(SMALL).log.close();
      assertThat(controlRecords())
          .as("change %s", change)
          .contains("KRAFT_VOTERS", "KRAFT_VERSION");
    }
  }

  private List<String> controlRecords() throws IOException {
    List<String> kinds = new ArrayList<>();
    for (String name : filesWith(".log")) {
      for (MutableRecordBatch batch :
          MemoryRecords.readableRecords(ByteBuffer.wrap(folder().readAll(name))).batches()) {
        for (Record record : batch) {
          kinds.add(ControlRecordType.parse(record.key()).name());
        }
      }
    }
    return kinds;
  }
}
