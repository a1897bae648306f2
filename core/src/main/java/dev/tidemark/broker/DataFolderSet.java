package dev.tidemark.broker;

import dev.tidemark.log.LogId;
import dev.tidemark.log.PartitionLog;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.apache.kafka.common.DirectoryId;
import org.apache.kafka.common.Uuid;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The data folders of a broker that were there at its start, in the order of {@code log.dirs}. */
final class DataFolderSet {
  private static final Logger LOG = LoggerFactory.getLogger(DataFolderSet.class);

  private final List<DataFolder> folders;

  DataFolderSet(List<DataFolder> folders) {
    this.folders = List.copyOf(folders);
  }

  List<DataFolder> all() {
    return folders;
  }

  DataFolder get(int index) {
    return folders.get(index);
  }

  /** Where a partition lies, null when it lies nowhere. */
  @Nullable DataFolder holding(LogId id) {
    for (DataFolder folder : folders) {
      if (folder.holds(id)) {
        return folder;
      }
    }
    return null;
  }

  /** The one in which a log's files lie. */
  DataFolder containing(PartitionLog log) {
    String path = log.folder().path();
    for (DataFolder folder : folders) {
      if (path.equals(folder.directory().directory(log.id().folderName()).path())) {
        return folder;
      }
    }
    throw new IllegalArgumentException(path + " lies in no data folder");
  }

  private @Nullable DataFolder withId(Uuid directoryId) {
    for (DataFolder folder : folders) {
      if (folder.directoryId().equals(directoryId)) {
        return folder;
      }
    }
    return null;
  }

  /**
   * Where a partition lies, or is to be created: in the folder that cluster metadata names. One
   * that an operator moved by hand is served where it is found. A partition whose folder is not
   * here is never created in another.
   *
   * @throws IOException when its folder is not here; the message says what to do
   */
  DataFolder locate(LogId id, Uuid directoryId) throws IOException {
    DataFolder assigned = withId(directoryId);
    if (assigned != null && assigned.holds(id)) {
      return assigned;
    }
    for (DataFolder folder : folders) {
      if (folder.holds(id) && id.topicId().equals(folder.topicIdIn(id.folderName()))) {
        LOG.warn(
            "{} lies in {}, not in the folder with directory.id {} that it was assigned to; it is"
                + " served from there",
            id,
            folder.directory().path(),
            directoryId);
        return folder;
      }
    }
    if (DirectoryId.reserved(directoryId)) {
      return folders.stream().min(Comparator.comparingInt(DataFolder::size)).orElseThrow();
    }
    if (assigned == null) {
      List<String> paths = new ArrayList<>();
      folders.forEach(folder -> paths.add(folder.directory().path()));
      throw new IOException(
          "it lies in the folder with directory.id %s, which is none of %s: mount that disk, add its path to log.dirs and restart; if it is lost, delete the topic"
              .formatted(directoryId, paths));
    }
    if (assigned.hasCopyOf(id)) {
      throw new IOException(
          "it was on its way to %s when the broker last ran, and the folder that holds it is not here: mount that disk, add its path to log.dirs and restart; if it is lost, delete the topic"
              .formatted(assigned.directory().path()));
    }
    return assigned;
  }

  /** True when the partition's own folder has it as well. */
  boolean isCopy(DataFolder folder, LogId id, Uuid directoryId) {
    DataFolder assigned = withId(directoryId);
    return assigned != null && !assigned.equals(folder) && assigned.holds(id) && folder.holds(id);
  }
}
