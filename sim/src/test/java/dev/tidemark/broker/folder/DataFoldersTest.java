package dev.tidemark.broker.folder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tidemark.env.Directory;
import dev.tidemark.quorum.SingleVoterLog;
import dev.tidemark.sim.DiskFaults.PowerWentOff;
import dev.tidemark.sim.SeededRandomness;
import dev.tidemark.sim.VirtualClock;
import dev.tidemark.sim.VirtualDisk;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.Uuid;
import org.junit.jupiter.api.Test;

class DataFoldersTest {
  private static final String CLUSTER = "c1";

  private final VirtualClock clock = new VirtualClock(1000);
  private final SeededRandomness randomness = new SeededRandomness(5);
  private VirtualDisk disk = new VirtualDisk(1);

  private List<Directory> folders(String... names) {
    List<Directory> folders = new ArrayList<>();
    for (String name : names) {
      folders.add(disk.root().directory(name));
    }
    return folders;
  }

  private List<FolderIdentity> format(String clusterId, int nodeId, String... names)
      throws IOException {
    return DataFolders.format(folders(names), clusterId, nodeId, randomness, clock);
  }

  private void write(String folder, String name, String text) throws IOException {
    Directory directory = disk.root().directory(folder);
    directory.create();
    directory.writeAtomically(name, text.getBytes(StandardCharsets.UTF_8));
  }

  @Test
  void formatted_folders_are_told_apart_and_belong_to_node_and_cluster() throws Exception {
    List<FolderIdentity> formatted = format(CLUSTER, 3, "a", "b");
    List<FolderIdentity> loaded = DataFolders.load(folders("a", "b"), 3);

    assertThat(loaded).isEqualTo(formatted);
    assertThat(loaded.get(0).directoryId()).isNotEqualTo(loaded.get(1).directoryId());
    assertThat(loaded).allMatch(identity -> identity.clusterId().equals(CLUSTER));
  }

  @Test
  void format_writes_the_first_metadata_records_once() throws Exception {
    FolderIdentity identity = format(CLUSTER, 1, "a").get(0);
    format(CLUSTER, 1, "a");
    int[] records = {0};
    try (SingleVoterLog log =
        new SingleVoterLog(folders("a").get(0), 1, identity.directoryId(), clock)) {
      log.start(batch -> records[0] += batch.records().size());
    }
    assertThat(records[0]).isEqualTo(6);
  }

  @Test
  void a_folder_that_is_not_formatted_is_refused_with_the_command_to_run() {
    assertThatThrownBy(() -> DataFolders.load(folders("a"), 1))
        .isInstanceOf(FolderRefused.class)
        .hasMessageContaining("tidemark format");
  }

  @Test
  void folders_of_others_are_refused_and_left_as_they_are() throws Exception {
    format(CLUSTER, 1, "a");
    format("c2", 1, "b");
    write("kafka", "meta.properties", "version=1\ncluster.id=x\nnode.id=1\n");
    write("newer", "meta.properties", "version=1\ntidemark.format.version=2\n");
    write("damaged", "meta.properties", "version=1\ntidemark.format.version=1\nnode.id=1\n");
    write("other", "photo.jpg", "cheese");
    write("empty", "meta.properties", "");
    write("cut", "meta.properties", "# Written by Tidemark. It says whose\nversion=1\nnode.id=1\n");
    write("torn", "meta.properties", "version=1\nnode.id=\\u00\n");

    assertRefused("node 1, but node.id is 2", () -> DataFolders.load(folders("a"), 2));
    assertRefused("belongs to cluster c2", () -> DataFolders.load(folders("a", "b"), 1));
    assertRefused("belongs to cluster", () -> format("c2", 1, "a"));
    assertRefused("Apache Kafka", () -> DataFolders.load(folders("kafka"), 1));
    assertRefused("Apache Kafka", () -> format(CLUSTER, 1, "kafka"));
    assertRefused("newer Tidemark", () -> DataFolders.load(folders("newer"), 1));
    assertRefused("cluster.id is missing", () -> DataFolders.load(folders("damaged"), 1));
    for (String folder : List.of("empty", "cut", "torn")) {
      assertRefused(
          folder + "/meta.properties is damaged", () -> DataFolders.load(folders(folder), 1));
    }
    assertRefused("photo.jpg", () -> format(CLUSTER, 1, "other"));
    assertThat(disk.root().directory("kafka").list()).containsExactly("meta.properties");
    assertThat(disk.root().directory("other").list()).containsExactly("photo.jpg");
  }

  @Test
  void a_copied_folder_is_refused() throws Exception {
    format(CLUSTER, 1, "a");
    byte[] meta = disk.root().directory("a").readAll("meta.properties");
    write("b", "meta.properties", new String(meta, StandardCharsets.UTF_8));

    assertRefused("it is a copy", () -> DataFolders.load(folders("a", "b"), 1));
  }

  @Test
  void an_interrupted_format_can_be_run_again() throws Exception {
    format(CLUSTER, 1, "a", "b");
    long changes = disk.faults().changes();
    for (long change = 0; change < changes; change++) {
      disk = new VirtualDisk(change);
      disk.faults().powerOffAt(change);
      try {
        format(CLUSTER, 1, "a", "b");
      } catch (PowerWentOff e) {
        disk.powerLoss(change);
      }
      List<FolderIdentity> formatted = format(CLUSTER, 1, "a", "b");
      assertThat(DataFolders.load(folders("a", "b"), 1))
          .as("power off at change " + change)
          .isEqualTo(formatted);
    }
  }

  private static void assertRefused(
      String message, org.assertj.core.api.ThrowableAssert.ThrowingCallable call) {
    assertThatThrownBy(call).isInstanceOf(FolderRefused.class).hasMessageContaining(message);
  }

  @Test
  void an_identity_that_was_edited_is_refused_with_what_it_was_and_nothing_changes()
      throws Exception {
    format(CLUSTER, 3, "a");
    FolderIdentity identity = DataFolders.load(folders("a"), 3).get(0);
    Directory folder = folders("a").get(0);
    new FolderIdentity("edited", 3, identity.directoryId(), 1).write(folder);
    long changes = disk.faults().changes();
    assertRefused("set cluster.id=c1 again", () -> DataFolders.requireMetadataLog(folders("a")));
    assertRefused("set cluster.id=c1 again", () -> format("edited", 3, "a"));
    assertThat(disk.faults().changes()).isEqualTo(changes);

    new FolderIdentity(CLUSTER, 4, identity.directoryId(), 1).write(folder);
    assertRefused("set node.id=3 again", () -> DataFolders.requireMetadataLog(folders("a")));
    identity.write(folder);
    DataFolders.requireMetadataLog(folders("a"));
  }

  @Test
  void a_folder_of_before_its_owner_was_noted_gets_the_note_with_its_next_start() throws Exception {
    FolderIdentity identity = format(CLUSTER, 3, "a").get(0);
    Directory folder = folders("a").get(0);
    folder.directory(SingleVoterLog.LOG_ID.folderName()).delete(MetadataOwner.FILE);
    DataFolders.requireMetadataLog(folders("a"));
    new FolderIdentity("edited", 3, identity.directoryId(), 1).write(folder);
    assertRefused("set cluster.id=c1 again", () -> DataFolders.requireMetadataLog(folders("a")));
  }

  @Test
  void format_begins_no_metadata_log_beside_partitions_that_had_one() throws Exception {
    format(CLUSTER, 3, "a");
    Directory folder = folders("a").get(0);
    folder.directory("t-0").create();
    folder.delete(SingleVoterLog.LOG_ID.folderName());
    assertRefused("holds t-0", () -> format(CLUSTER, 3, "a"));
    assertThat(folder.exists(SingleVoterLog.LOG_ID.folderName())).isFalse();
  }

  private static final String LIST =
      "1@h1:9093:AAAAAAAAAAcAAAAAAAAAAQ,2@[::1]:9093:AAAAAAAAAAcAAAAAAAAAAg";

  private void formatListed(String folder, int nodeId, String list) throws IOException {
    var unused =
        DataFolders.format(
            folders(folder),
            CLUSTER,
            nodeId,
            FirstVoters.parse("CONTROLLER", list),
            randomness,
            clock);
  }

  private byte[] voters(String folder) throws IOException {
    return disk.root()
        .directory(folder)
        .directory("__cluster_metadata-0")
        .readAll("00000000000000000000-0000000000.checkpoint");
  }

  @Test
  void all_first_controllers_get_the_same_voters_and_the_directory_ids_of_the_list()
      throws Exception {
    formatListed("a", 1, LIST);
    formatListed("b", 2, LIST);

    assertThat(voters("a")).isEqualTo(voters("b"));
    assertThat(DataFolders.load(folders("b"), 2).get(0).directoryId()).isEqualTo(new Uuid(7, 2));
    formatListed("a", 1, LIST);
    assertThatThrownBy(() -> formatListed("a", 1, LIST.replace("AQ,", "Aw,")))
        .isInstanceOf(FolderRefused.class)
        .hasMessageContaining("directory id");
  }

  @Test
  void a_node_that_hears_of_the_voters_gets_no_metadata_log() throws Exception {
    var unused =
        DataFolders.format(folders("a"), CLUSTER, 1, new FirstVoters.Unknown(), randomness, clock);

    assertThat(disk.root().directory("a").exists("__cluster_metadata-0")).isFalse();
    DataFolders.requireMetadataLog(folders("a"));
  }

  @Test
  void a_list_of_controllers_that_cannot_be_is_refused() {
    for (String bad :
        List.of(
            "1@h:9093",
            "h:9093:AAAAAAAAAAcAAAAAAAAAAQ",
            "1@:9093:AAAAAAAAAAcAAAAAAAAAAQ",
            "1@h:0:AAAAAAAAAAcAAAAAAAAAAQ",
            LIST.replace("2@", "1@"),
            "")) {
      assertThatThrownBy(() -> FirstVoters.parse("CONTROLLER", bad))
          .as(bad)
          .isInstanceOf(IllegalArgumentException.class);
    }
  }
}
