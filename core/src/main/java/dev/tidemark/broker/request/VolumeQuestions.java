package dev.tidemark.broker.request;

import dev.tidemark.env.Directory;
import dev.tidemark.env.Timers;
import java.io.IOException;
import java.util.List;
import org.apache.kafka.common.message.DescribeLogDirsResponseData.DescribeLogDirsResult;
import org.apache.kafka.common.message.DescribeLogDirsResponseData.DescribeLogDirsTopic;
import org.apache.kafka.common.protocol.Errors;

/**
 * Asks the volumes of data folders how large they are and how much room they have (KIP-827), all at
 * once. One that fails, or gives no answer in time, leaves an error in its result.
 */
final class VolumeQuestions {
  private static final long MAX_WAIT_MS = 10_000;

  private final Timers.Timer limit;
  private final Runnable whenAnswered;
  private int unanswered = 1; // until all are asked
  private boolean done;

  private record Volume(long totalBytes, long usableBytes) {
    static Volume of(Directory folder) throws IOException {
      return new Volume(folder.totalBytes(), folder.usableBytes());
    }
  }

  /** {@code whenAnswered} is called once, within {@link #allAsked} or later. */
  VolumeQuestions(Timers timers, Runnable whenAnswered) {
    this.whenAnswered = whenAnswered;
    this.limit = timers.schedule(MAX_WAIT_MS, this::finish);
  }

  /** Asks for one folder, unless it failed. */
  void ask(LogDir dir, DescribeLogDirsResult result) {
    if (!dir.online()) {
      return;
    }
    unanswered++;
    List<DescribeLogDirsTopic> topics = result.topics();
    result.setErrorCode(Errors.KAFKA_STORAGE_ERROR.code()).setTopics(List.of()); // until it answers
    dir.work()
        .run(
            "room",
            () -> Volume.of(dir.directory()),
            (volume, failure) -> {
              if (volume != null && !done) {
                result
                    .setErrorCode(Errors.NONE.code())
                    .setTopics(topics)
                    .setTotalBytes(volume.totalBytes())
                    .setUsableBytes(volume.usableBytes());
              }
              answered();
            });
  }

  void allAsked() {
    answered();
  }

  private void answered() {
    unanswered--;
    if (unanswered == 0) {
      finish();
    }
  }

  private void finish() {
    if (!done) {
      done = true;
      limit.cancel();
      whenAnswered.run();
    }
  }
}
