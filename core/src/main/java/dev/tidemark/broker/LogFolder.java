package dev.tidemark.broker;

import dev.tidemark.env.Directory;
import dev.tidemark.log.LogId;
import dev.tidemark.log.LogOpening;
import dev.tidemark.log.OffsetCheckpoint;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One of the folders under {@code log.dirs}: which partitions it holds, and what was known of them
 * when the broker last ran. Everything here touches files and blocks.
 */
final class LogFolder {
  private static final Logger LOG = LoggerFactory.getLogger(LogFolder.class);
  private static final String CLEAN_MARKER = ".kafka_cleanshutdown";
  private static final String DELETED_SUFFIX = "-delete";

  private final Directory directory;
  private final Set<String> partitionFolders;
  private final boolean cleanStop;
  private final Map<String, Long> recoveryPoints;
  private final Map<String, Long> logStartOffsets;

  private LogFolder(
      Directory directory,
      Set<String> partitionFolders,
      boolean cleanStop,
      Map<String, Long> recoveryPoints,
      Map<String, Long> logStartOffsets) {
    this.directory = directory;
    this.partitionFolders = partitionFolders;
    this.cleanStop = cleanStop;
    this.recoveryPoints = recoveryPoints;
    this.logStartOffsets = logStartOffsets;
  }

  /** Reads what stands in the folder and takes the clean marker away before anything is written. */
  static LogFolder load(Directory directory) throws IOException {
    Set<String> partitionFolders = new TreeSet<>();
    for (String name : directory.list()) {
      if (name.endsWith(DELETED_SUFFIX)) {
        directory.delete(name);
      } else if (name.indexOf('-') > 0 && directory.isDirectory(name)) {
        partitionFolders.add(name);
      }
    }
    boolean clean = directory.exists(CLEAN_MARKER);
    LogFolder folder =
        new LogFolder(
            directory,
            partitionFolders,
            clean,
            readOrNothing(directory, OffsetCheckpoint.RECOVERY_POINTS),
            readOrNothing(directory, OffsetCheckpoint.LOG_START_OFFSETS));
    if (clean) {
      directory.delete(CLEAN_MARKER);
      directory.sync();
    }
    return folder;
  }

  /** Without a checkpoint recovery starts from the beginning: slower, and right. */
  private static Map<String, Long> readOrNothing(Directory directory, String name) {
    try {
      return OffsetCheckpoint.read(directory, name);
    } catch (IOException e) {
      LOG.warn("{}; the partitions of this folder are checked from their start", e.getMessage());
      return new TreeMap<>();
    }
  }

  Directory directory() {
    return directory;
  }

  boolean cleanStop() {
    return cleanStop;
  }

  boolean holds(LogId id) {
    return partitionFolders.contains(id.folderName());
  }

  int size() {
    return partitionFolders.size();
  }

  Set<String> partitionFolders() {
    return partitionFolders;
  }

  /** What is known of a partition before its log is opened. */
  LogOpening opening(LogId id) {
    String name = id.folderName();
    return new LogOpening(
        cleanStop, recoveryPoints.getOrDefault(name, 0L), logStartOffsets.getOrDefault(name, 0L));
  }

  void added(LogId id) {
    partitionFolders.add(id.folderName());
  }

  /** Renames a deleted partition's folder, so that its name is free; returns the new name. */
  String renameForDeletion(LogId id) throws IOException {
    String name = id.folderName();
    String renamed = name + "." + id.topicId().toString().replace('-', '_') + DELETED_SUFFIX;
    directory.rename(name, renamed);
    partitionFolders.remove(name);
    return renamed;
  }

  /** Writes the checkpoints of the partitions in this folder. */
  static void writeCheckpoints(Directory directory, Checkpoints checkpoints) throws IOException {
    OffsetCheckpoint.write(
        directory, OffsetCheckpoint.RECOVERY_POINTS, checkpoints.recoveryPoints());
    OffsetCheckpoint.write(
        directory, OffsetCheckpoint.LOG_START_OFFSETS, checkpoints.logStartOffsets());
    OffsetCheckpoint.write(
        directory, OffsetCheckpoint.HIGH_WATERMARKS, checkpoints.highWatermarks());
  }

  /** Marks a stop after which nothing has to be checked. */
  static void writeCleanMarker(Directory directory) throws IOException {
    directory.writeAtomically(
        CLEAN_MARKER, "{\"version\":0,\"brokerEpoch\":-1}".getBytes(StandardCharsets.UTF_8));
  }

  /** Offsets of one moment, by partition. */
  record Checkpoints(
      Map<TopicPartition, Long> recoveryPoints,
      Map<TopicPartition, Long> logStartOffsets,
      Map<TopicPartition, Long> highWatermarks) {}
}
