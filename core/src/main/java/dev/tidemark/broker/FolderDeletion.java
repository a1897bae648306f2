package dev.tidemark.broker;

import dev.tidemark.env.Background;
import dev.tidemark.env.Directory;
import dev.tidemark.env.Timers;
import dev.tidemark.log.LogId;
import java.io.IOException;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes folders of partitions: the name is free at once, the data goes later and in the
 * background. Owned by the data shard.
 */
final class FolderDeletion {
  private static final Logger LOG = LoggerFactory.getLogger(FolderDeletion.class);

  private final Timers timers;
  private final Function<DataFolder, Background> works;

  /** {@code works}: where slow work on a folder goes. */
  FolderDeletion(Timers timers, Function<DataFolder, Background> works) {
    this.timers = timers;
    this.works = works;
  }

  /** Deletes the folder of a partition, {@code delayMs} after its name is free. */
  void delete(DataFolder folder, LogId id, long delayMs) {
    try {
      deleteLater(folder, folder.renameForDeletion(id), delayMs);
      LOG.info("Deleted the log of {}; its files go in a moment", id);
    } catch (IOException e) {
      LOG.error("The log of {} cannot be deleted; its folder stays", id, e);
    }
  }

  /** Deletes a folder that has no partition's name any more. */
  void deleteLater(DataFolder folder, String name, long delayMs) {
    timers.schedule(delayMs, () -> delete(folder, name));
  }

  private void delete(DataFolder folder, String name) {
    Directory directory = folder.directory();
    works
        .apply(folder)
        .run(
            "delete",
            () -> {
              directory.delete(name);
              return name;
            },
            (done, failure) -> {
              if (failure != null) {
                LOG.error("{}/{} cannot be deleted", directory.path(), name, failure);
              }
            });
  }
}
