package dev.tidemark.broker;

import dev.tidemark.env.Shard;
import dev.tidemark.log.PartitionLog;
import java.io.IOException;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The last part of an orderly stop: logs are synced and closed, folders are marked as clean. */
final class CleanStop {
  private static final Logger LOG = LoggerFactory.getLogger(CleanStop.class);

  private final Shard data;
  private final Partitions partitions;
  private final HostedLogs hosted;
  private final Checkpoints known;
  private final Runnable done;

  /** {@code done} runs in the end, on the data shard, also when something could not be closed. */
  CleanStop(
      Shard data, Partitions partitions, HostedLogs hosted, Checkpoints known, Runnable done) {
    this.data = data;
    this.partitions = partitions;
    this.hosted = hosted;
    this.known = known;
    this.done = done;
  }

  /**
   * Once no sync is under way.
   *
   * @param unclean logs whose end on the disk is not known
   */
  void close(List<PartitionLog> open, List<PartitionLog> unclean) {
    LogCloser closer =
        new LogCloser(
            data,
            hosted.onlineFolders().stream().map(DataFolder::directory).toList(),
            failure -> {
              if (failure != null) {
                LOG.error("Logs could not be closed; the next start checks them", failure);
                done.run();
              } else {
                markClean();
              }
            });
    closer.close(open, unclean);
  }

  private void markClean() {
    Checkpoints.Update last = known.all();
    // What could not be opened was not checked either: the next start has to look again.
    List<DataFolder> clean =
        hosted.onlineFolders().stream()
            .filter(folder -> partitions.offline().stream().noneMatch(folder::holds))
            .toList();
    data.background()
        .run(
            // Behind a checkpoint that may be under way, unless a disk that hangs may hold it up.
            clean.size() < hosted.folders().size() ? "stop" : Checkpoints.QUEUE,
            () -> {
              last.write();
              markClean(clean);
              return last;
            },
            (written, failure) -> {
              if (failure != null) {
                LOG.error("The folders could not be marked as clean: {}", failure.getMessage());
              }
              done.run();
            });
  }

  /** One folder that fails keeps no other from being marked. */
  private static void markClean(List<DataFolder> folders) throws IOException {
    IOException failure = null;
    for (DataFolder folder : folders) {
      try {
        DataFolder.writeCleanMarker(folder.directory());
      } catch (IOException e) {
        failure = e;
      }
    }
    if (failure != null) {
      throw failure;
    }
  }
}
