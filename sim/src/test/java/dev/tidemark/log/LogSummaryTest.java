package dev.tidemark.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Whether a folder is as it was when its log was summed up. */
class LogSummaryTest {
  private final LogFixture fixture = new LogFixture();

  private PartitionLog log() throws Exception {
    fixture.settings = fixture.settings.withRetentionMs(-1);
    PartitionLog log = fixture.open();
    fixture.append(log, 1, "a", "b");
    log.roll();
    fixture.append(log, 1, "c");
    return log;
  }

  private static LogSummary summary(PartitionLog log) throws Exception {
    log.flushAndWait();
    return Objects.requireNonNull(log.summary());
  }

  @Test
  void anUnchangedFolderIsAsItWas() throws Exception {
    PartitionLog log = log();
    assertThat(summary(log).isStillTrue(fixture.folder())).isTrue();
    log.roll();
    assertThat(summary(log).isStillTrue(fixture.folder())).as("an empty segment").isTrue();
  }

  @Test
  void theFileOfANewLogIsStillToCome() throws Exception {
    PartitionLog log = fixture.open();
    assertThat(summary(log).isStillTrue(fixture.folder())).isTrue();
  }

  @Test
  void anAppendShows() throws Exception {
    PartitionLog log = log();
    LogSummary before = summary(log);
    fixture.append(log, 1, "d");
    assertThat(before.isStillTrue(fixture.folder())).isFalse();
  }

  @Test
  void aSegmentThatWentShowsAlsoWhileTheActiveOneIsEmpty() throws Exception {
    PartitionLog log = log();
    log.roll();
    LogSummary before = summary(log);
    log.advanceLogStartOffset(2, 3);
    assertThat(log.deleteOldSegments(3)).isEqualTo(1);
    for (String name : log.takeFilesToDelete()) {
      fixture.folder().delete(name);
    }
    assertThat(before.isStillTrue(fixture.folder())).isFalse();
  }
}
