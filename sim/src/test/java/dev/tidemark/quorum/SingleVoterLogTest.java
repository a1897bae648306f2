package dev.tidemark.quorum;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tidemark.env.Directory;
import dev.tidemark.env.Directory.OpenMode;
import dev.tidemark.env.LogFile;
import dev.tidemark.log.CorruptLog;
import dev.tidemark.sim.DiskFaults.Change;
import dev.tidemark.sim.DiskFaults.PowerWentOff;
import dev.tidemark.sim.VirtualClock;
import dev.tidemark.sim.VirtualDisk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.metadata.TopicRecord;
import org.apache.kafka.server.common.ApiMessageAndVersion;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class SingleVoterLogTest {
  private static final Uuid DIRECTORY = new Uuid(4, 4);
  private static final String FILE = "__cluster_metadata-0/00000000000000000000.log";

  private final VirtualClock clock = new VirtualClock(1000);
  private VirtualDisk disk = new VirtualDisk(1);

  private SingleVoterLog open() {
    return new SingleVoterLog(disk.root(), 1, DIRECTORY, clock);
  }

  private static List<ApiMessageAndVersion> topics(String... names) {
    List<ApiMessageAndVersion> records = new ArrayList<>();
    for (String name : names) {
      records.add(
          new ApiMessageAndVersion(
              new TopicRecord().setName(name).setTopicId(new Uuid(0, name.hashCode())), (short) 0));
    }
    return records;
  }

  /** What a listener and a completion heard. */
  private static final class Heard implements MetadataLog.Completion {
    final List<String> names = new ArrayList<>();
    final List<MetadataBatch> batches = new ArrayList<>();
    long committed = -1;
    @Nullable Throwable failure;

    void onCommit(MetadataBatch batch) {
      batches.add(batch);
      for (ApiMessageAndVersion record : batch.records()) {
        names.add(((TopicRecord) record.message()).name());
      }
    }

    @Override
    public void onCommitted(long lastOffset) {
      committed = lastOffset;
    }

    @Override
    public void onFailed(Throwable cause) {
      failure = cause;
    }
  }

  @Test
  void what_is_appended_is_heard_at_once_and_again_after_a_restart() throws Exception {
    Heard first = new Heard();
    try (SingleVoterLog log = open()) {
      log.start(first::onCommit);
      log.append(topics("a", "b"), first);
      assertThat(first.names).containsExactly("a", "b");
      assertThat(first.committed).isEqualTo(first.batches.get(0).lastOffset());
      log.append(topics("c"), first);
      assertThat(log.state().highWatermark()).isEqualTo(first.committed + 1);
    }
    Heard second = new Heard();
    try (SingleVoterLog log = open()) {
      log.start(second::onCommit);
      assertThat(second.names).containsExactly("a", "b", "c");
      assertThat(second.batches).isEqualTo(first.batches);
    }
  }

  @Test
  void each_start_takes_a_new_epoch_even_when_nothing_was_written_in_the_last() throws Exception {
    for (int epoch = 1; epoch <= 3; epoch++) {
      try (SingleVoterLog log = open()) {
        log.start(batch -> {});
        assertThat(log.state().leaderEpoch()).isEqualTo(epoch);
      }
    }
    Directory folder = disk.root().directory("__cluster_metadata-0");
    assertThat(new String(folder.readAll("quorum-state"), StandardCharsets.UTF_8))
        .contains("\"leaderEpoch\":3")
        .contains("\"data_version\":1");
  }

  @Test
  void a_process_kill_loses_nothing_that_was_committed() throws Exception {
    Heard heard = new Heard();
    SingleVoterLog log = open();
    log.start(heard::onCommit);
    log.append(topics("a"), heard);
    disk.processKill();

    Heard again = new Heard();
    try (SingleVoterLog restarted = open()) {
      restarted.start(again::onCommit);
    }
    assertThat(again.names).containsExactly("a");
  }

  @Test
  void after_power_loss_at_any_change_all_that_was_committed_is_there_and_nothing_is_invented()
      throws Exception {
    disk = new VirtualDisk(9);
    runLife(disk, new Heard());
    long changes = disk.faults().changes();
    assertThat(changes).isGreaterThan(10);
    for (long change = 0; change < changes; change++) {
      disk = new VirtualDisk(9);
      Heard before = new Heard();
      disk.faults().powerOffAt(change);
      try {
        runLife(disk, before);
      } catch (PowerWentOff e) {
        disk.powerLoss(change);
      }
      Heard after = new Heard();
      try (SingleVoterLog log = open()) {
        log.start(after::onCommit);
      }
      String when = "power off at change " + change;
      assertIsPrefix(when, before.names, after.names);
      assertIsPrefix(when, after.names, List.of("a", "b", "c", "d", "e"));
    }
  }

  private static void assertIsPrefix(String when, List<String> prefix, List<String> whole) {
    assertThat(whole).as(when).hasSizeGreaterThanOrEqualTo(prefix.size());
    assertThat(whole.subList(0, prefix.size())).as(when).isEqualTo(prefix);
  }

  private void runLife(VirtualDisk on, Heard heard) throws IOException {
    disk = on;
    try (SingleVoterLog log = open()) {
      log.start(heard::onCommit);
      log.append(topics("a", "b"), heard);
    }
    heard.names.clear();
    try (SingleVoterLog log = open()) {
      log.start(heard::onCommit);
      log.append(topics("c"), heard);
      log.append(topics("d", "e"), heard);
    }
  }

  @Test
  void after_a_failed_sync_and_another_failure_the_log_holds_exactly_what_was_committed()
      throws Exception {
    for (int change = 0; change < 40; change++) {
      disk = new VirtualDisk(change);
      disk.faults().failedSyncsDrop(true);
      Heard heard = new Heard();
      List<String> committed = new ArrayList<>();
      SingleVoterLog log = open();
      log.start(heard::onCommit);
      disk.faults().failNext(Change.SYNC, 1);
      disk.faults().failAt(disk.faults().changes() + 4 + change);
      for (int i = 0; i < 6; i++) {
        Heard one = new Heard();
        log.append(topics("t" + i), one);
        if (one.failure == null) {
          committed.add("t" + i);
        }
        clock.advanceMs(1000);
      }
      String when = "failure of change " + change;
      assertThat(heard.names).as(when).isEqualTo(committed).hasSizeBetween(4, 5);

      disk.faults().failAt(-1);
      disk.powerLoss(change);
      Heard again = new Heard();
      try (SingleVoterLog restarted = open()) {
        restarted.start(again::onCommit);
      }
      assertThat(again.names).as(when).isEqualTo(committed);
    }
  }

  @Test
  void what_a_process_could_not_sync_before_it_was_killed_is_synced_by_the_next() throws Exception {
    for (int seed = 0; seed < 20; seed++) {
      disk = new VirtualDisk(seed);
      disk.faults().failedSyncsDrop(true);
      SingleVoterLog log = open();
      log.start(batch -> {});
      disk.faults().failNext(Change.SYNC, 0);
      log.append(topics("a"), new Heard());
      disk.processKill();

      Heard heard = new Heard();
      SingleVoterLog next = open();
      next.start(heard::onCommit);
      next.append(topics("b"), heard);
      assertThat(heard.names).containsExactly("a", "b");
      disk.powerLoss(seed);

      Heard again = new Heard();
      try (SingleVoterLog last = open()) {
        last.start(again::onCommit);
      }
      assertThat(again.names).as("seed %s", seed).containsExactly("a", "b");
    }
  }

  @Test
  void a_failed_sync_fails_the_append_and_those_of_the_next_moment() throws Exception {
    Heard heard = new Heard();
    SingleVoterLog log = open();
    log.start(heard::onCommit);
    disk.faults().failNext(Change.SYNC, 0);
    log.append(topics("a"), heard);
    assertThat(heard.failure).isInstanceOf(IOException.class);
    assertThat(heard.names).isEmpty();

    Heard next = new Heard();
    log.append(topics("b"), next);
    assertThat(next.failure).hasMessageContaining("failed a moment ago");
    assertThat(next.names).isEmpty();
  }

  @Test
  void a_damaged_quorum_state_is_named_and_not_guessed() throws Exception {
    Directory folder = disk.root().directory("__cluster_metadata-0");
    folder.create();
    folder.writeAtomically("quorum-state", "{}".getBytes(StandardCharsets.UTF_8));

    assertThatThrownBy(() -> open().start(batch -> {}))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("quorum-state");
  }

  private Directory folder() {
    return disk.root().directory("__cluster_metadata-0");
  }

  /** The log's file after an unclean end, with where each of three appends ends in it. */
  private List<Long> endsOfThreeAppends() throws IOException {
    List<Long> ends = new ArrayList<>();
    SingleVoterLog log = open();
    log.start(batch -> {});
    for (String name : List.of("a", "b", "c")) {
      log.append(topics(name), new Heard());
      ends.add(folder().size("00000000000000000000.log"));
    }
    disk.processKill();
    return ends;
  }

  @Test
  void a_damaged_byte_before_the_last_append_stops_the_start_and_changes_nothing()
      throws Exception {
    int lastBegin = Math.toIntExact(endsOfThreeAppends().get(1));
    for (int position = 0; position < lastBegin; position++) {
      disk = new VirtualDisk(1);
      endsOfThreeAppends();
      disk.rot(FILE, position);
      byte[] before = folder().readAll("00000000000000000000.log");
      List<String> names = folder().list();
      long changes = disk.faults().changes();
      if (isPartOfALeaderEpoch(before, position)) {
        continue; // no checksum covers it
      }
      assertThatThrownBy(() -> open().start(batch -> {}))
          .as("byte %s", position)
          .isInstanceOf(CorruptLog.class)
          .hasMessageContaining(FILE)
          .hasMessageContaining("is damaged at position")
          .hasMessageContaining("Restore");
      assertThat(disk.faults().changes()).isEqualTo(changes);
      assertThat(folder().readAll("00000000000000000000.log")).isEqualTo(before);
      assertThat(folder().list()).isEqualTo(names);
      assertThat(disk.openFiles()).isZero();
    }
  }

  private static boolean isPartOfALeaderEpoch(byte[] log, int position) {
    int batch = 0;
    while (batch < position) {
      if (position >= batch + 12 && position < batch + 16) {
        return true;
      }
      int length = ByteBuffer.wrap(log).getInt(batch + 8);
      if (length <= 0 || length > log.length) {
        return false; // the damaged byte is in the length
      }
      batch += 12 + length;
    }
    return false;
  }

  @Test
  void a_torn_last_append_is_cut_and_the_log_starts_with_what_is_before_it() throws Exception {
    List<Long> ends = endsOfThreeAppends();
    for (long end = ends.get(1); end < ends.get(2); end++) {
      disk = new VirtualDisk(1);
      endsOfThreeAppends();
      try (LogFile file = folder().open("00000000000000000000.log", OpenMode.READ_WRITE)) {
        file.truncate(end);
      }
      Heard heard = new Heard();
      try (SingleVoterLog log = open()) {
        log.start(heard::onCommit);
        log.append(topics("d"), heard);
      }
      assertThat(heard.names).as("cut at %s", end).containsExactly("a", "b", "d");
    }
  }

  @Test
  void a_log_that_was_cut_after_it_was_closed_in_order_is_refused_and_left_as_it_is()
      throws Exception {
    List<Long> ends = endsOfThreeAppends();
    for (long end = 0; end < ends.get(2); end++) {
      disk = new VirtualDisk(1);
      closedAfterThreeAppends();
      try (LogFile file = folder().open("00000000000000000000.log", OpenMode.READ_WRITE)) {
        file.truncate(end);
      }
      List<String> names = folder().list();
      long changes = disk.faults().changes();
      for (int start = 0; start < 2; start++) {
        try (SingleVoterLog log = open()) {
          assertThatThrownBy(() -> log.start(batch -> {}))
              .as("cut at %s, start %s", end, start)
              .isInstanceOf(CorruptLog.class)
              .hasMessageContaining("ended at 6 when it was closed in order")
              .hasMessageContaining("Restore the folder from a copy");
        }
      }
      assertThat(disk.faults().changes()).isEqualTo(changes);
      assertThat(folder().list()).isEqualTo(names);
      assertThat(disk.openFiles()).isZero();
    }
  }

  @Test
  void what_a_clean_stop_notes_does_not_outlive_the_next_start() throws Exception {
    closedAfterThreeAppends();
    assertThat(folder().list()).contains(CleanStopNote.FILE);
    Heard heard = new Heard();
    open().start(heard::onCommit);
    disk.processKill();
    assertThat(heard.names).containsExactly("a", "b", "c");
    assertThat(folder().list()).doesNotContain(CleanStopNote.FILE);
  }

  private void closedAfterThreeAppends() throws IOException {
    try (SingleVoterLog log = open()) {
      log.start(batch -> {});
      for (String name : List.of("a", "b", "c")) {
        log.append(topics(name), new Heard());
      }
    }
  }
}
