package dev.tidemark.broker;

import dev.tidemark.log.LogId;
import dev.tidemark.log.LogSettings;
import dev.tidemark.metadata.MetadataView;
import dev.tidemark.quorum.SingleVoterLog;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.image.MetadataImage;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Frees the names of folders that belong to no topic, or to a partition that has its replicas on
 * other brokers by now. One whose topic's deletion is on record goes as if the stop had not come
 * between; all others are only set aside, since metadata that lost a topic must not cost its data.
 */
final class StrayFolders {
  private static final Logger LOG = LoggerFactory.getLogger(StrayFolders.class);

  private final DataFolderSet folders;
  private final MetadataView view;
  private final FolderDeletion deletion;

  StrayFolders(DataFolderSet folders, MetadataView view, FolderDeletion deletion) {
    this.folders = folders;
    this.view = view;
    this.deletion = deletion;
  }

  /** Sets aside what neither {@code assigned} nor the topics of {@code image} account for. */
  void setAside(MetadataImage image, List<AssignedLog> assigned) {
    Map<String, AssignedLog> wanted = new HashMap<>();
    assigned.forEach(one -> wanted.put(one.id().folderName(), one));
    for (DataFolder folder : folders.all()) {
      for (String name : List.copyOf(folder.partitionFolders())) {
        if (!name.equals(SingleVoterLog.LOG_ID.folderName())) {
          setAsideIfStray(image, folder, name, wanted.get(name));
        }
      }
    }
    if (folders.all().stream().noneMatch(DataFolder::hasStrays)) {
      return; // as nearly always: no look at each partition
    }
    for (AssignedLog one : assigned) {
      if (folders.holding(one.id()) == null) {
        takeBack(one);
      }
    }
  }

  /** Metadata that was restored knows again what was set aside meanwhile. */
  private void takeBack(AssignedLog one) {
    LogId id = one.id();
    for (DataFolder folder : folders.all()) {
      // Elsewhere it is a copy that a move left; and what was here lately is missing, not aside.
      boolean isIts = folder.directoryId().equals(one.directoryId()) && !folder.isKnownAs(id);
      try {
        if (isIts && folder.takeBack(id)) {
          LOG.warn(
              "{}/{} was set aside when its topic was unknown; the topic is known again, and so is"
                  + " the folder",
              folder.directory().path(),
              id.folderName());
          return;
        }
      } catch (IOException e) {
        LOG.error("What was set aside of {} cannot be taken back", id, e);
      }
    }
  }

  private void setAsideIfStray(
      MetadataImage image, DataFolder folder, String name, @Nullable AssignedLog wanted) {
    boolean copy = wanted != null && folders.isCopy(folder, wanted.id(), wanted.directoryId());
    if (wanted != null && folder.isKnownAs(wanted.id()) && !copy) {
      return;
    }
    Uuid found = folder.topicIdIn(name);
    boolean stray =
        wanted == null
            ? found != null
            : copy || (found != null && !found.equals(wanted.id().topicId()));
    String path = folder.directory().path() + "/" + name;
    if (!stray) {
      if (wanted == null) {
        LOG.warn("{} belongs to no partition of this broker; it is left alone", path);
      }
      return;
    }
    try {
      if (found != null && view.wasDeletedBefore(found)) {
        LOG.info("{} belongs to a topic that was deleted; its files go in a moment", path);
        String renamed = folder.renameForDeletion(name, found);
        deletion.deleteLater(folder, renamed, LogSettings.defaults().fileDeleteDelayMs());
        return;
      }
      String renamed = folder.setAside(name);
      LOG.warn(
          "{} belongs to {}; it is now {}, and stays until you delete it",
          path,
          owner(image, found, wanted),
          renamed);
    } catch (IOException e) {
      LOG.error("{} belongs to no partition of this folder and cannot be renamed", path, e);
    }
  }

  private static String owner(
      MetadataImage image, @Nullable Uuid found, @Nullable AssignedLog wanted) {
    if (found == null || image.topics().getTopic(found) == null) {
      return "a topic that is unknown";
    }
    return wanted == null
        ? "a partition that was moved to other brokers while this one was down"
        : "a partition of another folder";
  }
}
