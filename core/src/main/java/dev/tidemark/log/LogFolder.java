package dev.tidemark.log;

import dev.tidemark.env.Directory;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.kafka.common.Uuid;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What is in a log's folder. Left-overs of deletions and of writes that were interrupted are
 * removed, files that do not belong there are named in a warning and left alone.
 *
 * @param segments base offsets, ascending
 * @param snapshots offsets, ascending
 */
record LogFolder(List<Long> segments, List<Long> snapshots, boolean hasEpochs) {
  private static final Logger LOG = LoggerFactory.getLogger(LogFolder.class);
  private static final List<String> INDEXES =
      List.of(FileNames.OFFSET_INDEX, FileNames.TIME_INDEX, FileNames.TXN_INDEX);
  private static final String TOPIC_ID = "topic_id: ";

  static LogFolder tidy(LogId id, Directory folder, UnsyncedFiles unsynced) throws IOException {
    folder.create();
    List<String> names = SwapFiles.complete(folder);
    List<Long> segments = new ArrayList<>();
    List<Long> snapshots = new ArrayList<>();
    boolean hasEpochs = false;
    for (String name : names) {
      long segment = FileNames.offsetIn(name, FileNames.LOG);
      long snapshot = FileNames.offsetIn(name, FileNames.SNAPSHOT);
      if (segment >= 0) {
        segments.add(segment);
      } else if (snapshot >= 0) {
        snapshots.add(snapshot);
      } else if (name.equals(FileNames.EPOCHS)) {
        hasEpochs = true;
      }
    }
    removeLeftovers(folder, names, new HashSet<>(segments));
    if (names.isEmpty()) {
      unsynced.create(FileNames.METADATA, metadataOf(id));
    } else {
      checkMetadata(id, folder, unsynced, names.contains(FileNames.METADATA));
    }
    return new LogFolder(segments, snapshots, hasEpochs);
  }

  private static void removeLeftovers(Directory folder, List<String> names, Set<Long> segments)
      throws IOException {
    for (String name : names) {
      if (name.endsWith(FileNames.DELETED)
          || name.endsWith(FileNames.CLEANED)
          || name.endsWith(FileNames.TEMPORARY)) {
        folder.delete(name);
      } else if (isOrphan(name, segments)) {
        LOG.warn("{}/{} belongs to no segment and is deleted", folder.path(), name);
        folder.delete(name);
      } else if (!isKnown(name)) {
        LOG.warn("{}/{} is not a file of a log and is left alone", folder.path(), name);
      }
    }
  }

  private static boolean isOrphan(String name, Set<Long> segments) {
    for (String suffix : INDEXES) {
      long offset = FileNames.offsetIn(name, suffix);
      if (offset >= 0) {
        return !segments.contains(offset);
      }
    }
    return false;
  }

  private static boolean isKnown(String name) {
    if (name.equals(FileNames.EPOCHS)
        || name.equals(FileNames.METADATA)
        || name.equals(FileNames.QUORUM)
        || name.startsWith(FileNames.TIDEMARKS)
        || name.equals(FileNames.LOST_TAILS)
        || name.endsWith(FileNames.LOST_TAIL)
        || name.endsWith(FileNames.CHECKPOINT)
        || name.endsWith(FileNames.CHECKPOINT_PART)) {
      return true;
    }
    for (String suffix : INDEXES) {
      if (FileNames.offsetIn(name, suffix) >= 0) {
        return true;
      }
    }
    return FileNames.offsetIn(name, FileNames.LOG) >= 0
        || FileNames.offsetIn(name, FileNames.SNAPSHOT) >= 0;
  }

  private static void checkMetadata(
      LogId id, Directory folder, UnsyncedFiles unsynced, boolean exists) throws IOException {
    if (exists) {
      Uuid found = topicIdIn(folder.readAll(FileNames.METADATA));
      if (found != null && !found.equals(id.topicId())) {
        throw new IOException(
            folder.path()
                + " belongs to the topic id "
                + found
                + ", not to "
                + id.topicId()
                + " of "
                + id
                + ": the topic was deleted and created again, or the folder was copied."
                + " Move the folder away to go on.");
      }
      if (found != null) {
        return;
      }
      LOG.warn("{}/{} is damaged and is written anew", folder.path(), FileNames.METADATA);
    }
    unsynced.replace(FileNames.METADATA, metadataOf(id));
  }

  private static byte[] metadataOf(LogId id) {
    return ("version: 0\n" + TOPIC_ID + id.topicId() + "\n").getBytes(StandardCharsets.UTF_8);
  }

  private static @Nullable Uuid topicIdIn(byte[] file) {
    for (String line : new String(file, StandardCharsets.UTF_8).split("\n", -1)) {
      if (line.startsWith(TOPIC_ID)) {
        try {
          return Uuid.fromString(line.substring(TOPIC_ID.length()).trim());
        } catch (IllegalArgumentException e) {
          return null;
        }
      }
    }
    return null;
  }
}
