package dev.tidemark.broker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.env.Directory;
import dev.tidemark.log.LogId;
import dev.tidemark.sim.VirtualDisk;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.kafka.common.Uuid;
import org.junit.jupiter.api.Test;

class FolderCheckpointTest {
  private static final LogId ID = new LogId("t", 0, new Uuid(1, 2));

  /** Whether each of the two files exists, and its content. */
  private static final int LOOKS_OF_ONE = 4;

  private final VirtualDisk disk = new VirtualDisk(1);
  private final Directory folder = disk.root().directory("data");
  private final FolderCheckpoint checkpoint = new FolderCheckpoint(folder);

  FolderCheckpointTest() throws IOException {
    folder.create();
  }

  private static KnownOffsets known(long recoveryPoint, long highWatermark) {
    KnownOffsets known = new KnownOffsets("boot");
    known.put(entry(recoveryPoint, highWatermark));
    return known;
  }

  private static KnownOffsets.Entry entry(long recoveryPoint, long highWatermark) {
    return new KnownOffsets.Entry(ID, recoveryPoint, 0, highWatermark);
  }

  private KnownOffsets.Entry written() throws IOException {
    return Objects.requireNonNull(KnownOffsets.read(folder).of(ID));
  }

  @Test
  void nothingOnTheDiskClaimsMoreThanALogThatGetsShorterHas() throws IOException {
    checkpoint.write(checkpoint.gathering(), known(90, 80));
    checkpoint.writeCleaned(checkpoint.gathering(), Map.of(ID, 70L));
    checkpoint.lower(ID, 50);
    assertThat(written()).isEqualTo(entry(50, 50));
    assertThat(CleanerCheckpoint.read(folder)).containsEntry(ID, 50L);
  }

  @Test
  void whatWasGatheredBeforeALogGotShorterIsLoweredWhenItIsWritten() throws IOException {
    long gathered = checkpoint.gathering();
    checkpoint.lower(ID, 50);
    checkpoint.write(gathered, known(90, 80));
    assertThat(written()).isEqualTo(entry(50, 50));
    checkpoint.writeCleaned(gathered, Map.of(ID, 70L));
    assertThat(CleanerCheckpoint.read(folder)).containsEntry(ID, 50L);
    checkpoint.write(gathered, "boot", List.of(), List.of(entry(95, 85)));
    assertThat(written()).isEqualTo(entry(50, 50));
  }

  @Test
  void manyLogsThatGetShorterTogetherCostOneLook() throws IOException {
    KnownOffsets all = new KnownOffsets("boot");
    for (int partition = 0; partition < 100; partition++) {
      all.put(new KnownOffsets.Entry(new LogId("t", partition, ID.topicId()), 50, 0, 50));
    }
    checkpoint.write(checkpoint.gathering(), all);
    long before = disk.looksInto("data");
    for (int partition = 0; partition < 100; partition++) {
      checkpoint.lower(new LogId("t", partition, ID.topicId()), 60); // above all that is known
    }
    assertThat(disk.looksInto("data") - before).isLessThanOrEqualTo(LOOKS_OF_ONE);
    checkpoint.lower(ID, 40);
    assertThat(written()).isEqualTo(entry(40, 40));
    checkpoint.write(checkpoint.gathering(), known(90, 80));
    checkpoint.lower(ID, 70);
    assertThat(written()).as("what was written meanwhile is seen").isEqualTo(entry(70, 70));
  }

  @Test
  void whatIsGatheredLaterCountsAsItIs() throws IOException {
    checkpoint.lower(ID, 50);
    checkpoint.write(checkpoint.gathering(), known(60, 60));
    assertThat(written()).isEqualTo(entry(60, 60));
  }
}
