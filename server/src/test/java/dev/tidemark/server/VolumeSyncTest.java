package dev.tidemark.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class VolumeSyncTest {
  @TempDir Path folder;

  @ParameterizedTest
  @CsvSource({
    "Linux, 5.8.0-1, true",
    "Linux, 6.18.44-fc, true",
    "Linux, 5.10.0, true",
    "Linux, 5.7.19, false",
    "Linux, 4.18.0-553.el8, false",
    "Linux, unknown, false",
    "Mac OS X, 14.5, false"
  })
  void itIsUsedWhereTheKernelTellsOfFailures(String system, String version, boolean used) {
    assertThat(VolumeSync.tellsFailures(system, version)).isEqualTo(used);
  }

  @Test
  void aFolderThatIsNotThereIsNotTakenForSynced() {
    assertThat(VolumeSync.of(folder.resolve("missing"))).isFalse();
  }

  @Test
  void aFileThatIsGoneNeedsNoSync() throws Exception {
    new FileDirectory(folder).syncFile("gone");
  }
}
