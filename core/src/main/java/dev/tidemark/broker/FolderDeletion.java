package dev.tidemark.broker;

import dev.tidemark.env.Directory;
import dev.tidemark.env.Shard;
import dev.tidemark.log.LogId;
import java.io.IOException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes folders of partitions: the name is free at once, the data goes later and in the
 * background. Owned by the data shard.
 */
final class FolderDeletion {
  private static final Logger LOG = LoggerFactory.getLogger(FolderDeletion.class);

  private final Shard shard;

  FolderDeletion(Shard shard) {
    this.shard = shard;
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
    shard.timers().schedule(delayMs, () -> delete(folder.directory(), name));
  }

  private void delete(Directory directory, String name) {
    shard
        .background()
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
