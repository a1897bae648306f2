package dev.tidemark.server;

import dev.tidemark.broker.folder.FolderIdentity;
import dev.tidemark.env.Directory;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The folders of {@code log.dirs} that answer at the start, each locked for this process. */
final class UsableFolders {
  private static final Logger LOG = LoggerFactory.getLogger(UsableFolders.class);

  private UsableFolders() {}

  /**
   * Creates missing folders and locks all. One whose disk fails is left out with one line in the
   * log, but for the first, which holds the metadata log.
   *
   * @param locks gets the locks, also when this throws
   */
  static List<Directory> open(List<String> paths, List<FolderLock> locks) throws IOException {
    List<Directory> usable = new ArrayList<>();
    for (String path : paths) {
      Directory folder = new FileDirectory(Path.of(path));
      try {
        folder.create();
        locks.add(FolderLock.take(Path.of(folder.path())));
        FolderIdentity.read(folder);
        usable.add(folder);
      } catch (FileFailure e) {
        if (usable.isEmpty()) {
          throw e;
        }
        LOG.error(
            "Data folder {} failed: {}. Its partitions are offline, those of other folders serve."
                + " Repair or mount the disk and restart",
            folder.path(),
            e.getMessage());
      }
    }
    return usable;
  }
}
