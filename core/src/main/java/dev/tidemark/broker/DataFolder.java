package dev.tidemark.broker;

import dev.tidemark.broker.folder.FolderIdentity;
import dev.tidemark.env.Directory;
import dev.tidemark.log.CorruptLog;
import dev.tidemark.log.LogId;
import dev.tidemark.log.LogOpening;
import dev.tidemark.log.OffsetCheckpoint;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One of the folders under {@code log.dirs}: which partitions it holds, and what was known of them
 * when the broker last ran. Everything here touches files and blocks.
 */
final class DataFolder {
  private static final Logger LOG = LoggerFactory.getLogger(DataFolder.class);
  private static final String CLEAN_MARKER = ".kafka_cleanshutdown";
  private static final String DELETED_SUFFIX = "-delete";
  private static final String STRAY_SUFFIX = "-stray";
  private static final String FUTURE_SUFFIX = "-future";
  private static final int MAX_NAMES_TOLD = 10;

  private final Directory directory;
  private final FolderCheckpoint checkpoint;
  private final Uuid directoryId;
  private final Set<String> partitionFolders;
  private final Set<String> copies;
  private final boolean cleanStop;
  private final KnownOffsets known;
  private final boolean sameBoot;

  /** What was set aside before, and what of it was taken back. */
  private final Set<String> strays = new TreeSet<>();

  private final Set<String> takenBack = new TreeSet<>();

  private DataFolder(
      Directory directory,
      Uuid directoryId,
      Set<String> partitionFolders,
      Set<String> copies,
      boolean cleanStop,
      KnownOffsets known,
      boolean sameBoot) {
    this.directory = directory;
    this.checkpoint = new FolderCheckpoint(directory);
    this.directoryId = directoryId;
    this.partitionFolders = partitionFolders;
    this.copies = copies;
    this.cleanStop = cleanStop;
    this.known = known;
    this.sameBoot = sameBoot;
  }

  /**
   * Reads what stands in the folder and takes the clean marker away before anything is written.
   *
   * @param bootId the run of the kernel, empty when it cannot be told
   */
  static DataFolder load(Directory directory, Uuid directoryId, String bootId) throws IOException {
    KnownOffsets known = readOrNothing(directory);
    Set<String> partitionFolders = new TreeSet<>();
    Set<String> copies = new TreeSet<>();
    Set<String> strays = new TreeSet<>();
    List<String> deleted = new ArrayList<>();
    for (String name : directory.list()) {
      if (name.endsWith(DELETED_SUFFIX)) {
        deleted.add(name);
      } else if (name.endsWith(FUTURE_SUFFIX)) {
        copies.add(name);
      } else if (name.endsWith(STRAY_SUFFIX)) {
        strays.add(name);
      } else if (name.indexOf('-') > 0 && (known.hasFolder(name) || directory.isDirectory(name))) {
        partitionFolders.add(name);
      }
    }
    finishDeletions(directory, deleted);
    boolean clean = directory.exists(CLEAN_MARKER);
    boolean sameBoot = !bootId.isEmpty() && bootId.equals(known.bootId());
    DataFolder folder =
        new DataFolder(directory, directoryId, partitionFolders, copies, clean, known, sameBoot);
    folder.strays.addAll(strays);
    if (clean) {
      directory.delete(CLEAN_MARKER);
      directory.sync();
    }
    return folder;
  }

  /** Told before it is done, since it may take long and cannot be taken back. */
  private static void finishDeletions(Directory directory, List<String> names) throws IOException {
    if (names.isEmpty()) {
      return;
    }
    LOG.info(
        "Deleting in {} what is left of {} deleted partitions: {}",
        directory.path(),
        names.size(),
        String.join(", ", names.subList(0, Math.min(names.size(), MAX_NAMES_TOLD)))
            + (names.size() > MAX_NAMES_TOLD ? ", …" : ""));
    for (String name : names) {
      directory.delete(name);
    }
  }

  /** Without it every log is checked from its start, and nothing is known to have been synced. */
  private static KnownOffsets readOrNothing(Directory directory) {
    try {
      return KnownOffsets.read(directory);
    } catch (IOException e) {
      LOG.warn("{}; the partitions of this folder are checked from their start", e.getMessage());
      return new KnownOffsets("");
    }
  }

  Directory directory() {
    return directory;
  }

  /** Its files that tell how far its logs can be trusted. */
  FolderCheckpoint checkpoint() {
    return checkpoint;
  }

  /** Its identity wherever it is mounted. */
  Uuid directoryId() {
    return directoryId;
  }

  boolean cleanStop() {
    return cleanStop;
  }

  /**
   * True when all that was written since the last checkpoint is still there, if perhaps only in the
   * kernel's memory: a process that is killed takes nothing with it.
   */
  boolean isSameBoot() {
    return sameBoot;
  }

  /** True when a folder is known to be that of this topic id, without a look into it. */
  boolean isKnownAs(LogId id) {
    return known.of(id) != null;
  }

  /** What was known of a partition at the start, or null. */
  KnownOffsets.@Nullable Entry known(LogId id) {
    return known.of(id);
  }

  /** The high watermark that was known of a partition, 0 without one. */
  long knownHighWatermark(LogId id) {
    KnownOffsets.Entry entry = known.of(id);
    return entry == null ? 0 : entry.highWatermark();
  }

  /** Forgets what was known of partitions at the start, unless it is still needed. */
  void forgetKnown(Predicate<LogId> needed) {
    known.keepOnly(needed);
  }

  boolean holds(LogId id) {
    return partitionFolders.contains(id.folderName());
  }

  /** True when a move of the partition to this folder had begun when the broker last ran. */
  boolean hasCopyOf(LogId id) {
    return copies.contains(futureName(id));
  }

  /** Forgets the copies of moves that had begun, but for those needed; returns their names. */
  List<String> takeCopies(Collection<String> needed) {
    List<String> taken = copies.stream().filter(name -> !needed.contains(name)).toList();
    copies.removeAll(taken);
    return taken;
  }

  int size() {
    return partitionFolders.size();
  }

  Set<String> partitionFolders() {
    return partitionFolders;
  }

  /** Throws when the partition was in this folder before and no power loss can have taken it. */
  void requireNotMissing(LogId id) throws CorruptLog {
    KnownOffsets.Entry entry = known.of(id);
    if (!holds(id) && entry != null && (cleanStop || sameBoot || entry.recoveryPoint() > 0)) {
      throw new CorruptLog(
          "%s/%s is missing, though it was there before: restore it from a copy and restart, or delete the topic"
              .formatted(directory.path(), id.folderName()));
    }
  }

  /** Throws when the disk is gone: nothing new must be made in what its mount point was. */
  void requireFormatted() throws IOException {
    if (!directory.exists(FolderIdentity.FILE)) {
      throw new IOException(
          "%s/%s is missing: the disk was unmounted or replaced"
              .formatted(directory.path(), FolderIdentity.FILE));
    }
  }

  /** What is known of a partition before its log is opened. */
  LogOpening opening(LogId id) {
    KnownOffsets.Entry entry = known.of(id);
    return entry == null
        ? new LogOpening(cleanStop && !takenBack.contains(id.folderName()), 0, 0)
        : new LogOpening(cleanStop, entry.recoveryPoint(), entry.logStartOffset());
  }

  /** What is known of a partition whose disk failed in this run; see {@link #remember}. */
  LogOpening reopening(LogId id) {
    KnownOffsets.Entry entry = known.of(id);
    return entry == null
        ? LogOpening.afterFailure(0, 0)
        : LogOpening.afterFailure(entry.recoveryPoint(), entry.logStartOffset());
  }

  /** Notes where a partition stands that is taken offline. */
  void remember(KnownOffsets.Entry entry) {
    known.put(entry);
  }

  /** The id in a partition folder's partition.metadata; null when there is none to read. */
  @Nullable Uuid topicIdIn(String partitionFolder) {
    return FoundTopicId.read(directory.directory(partitionFolder));
  }

  void added(LogId id) {
    partitionFolders.add(id.folderName());
  }

  /** The name of a partition's folder while it is copied into this data folder. */
  static String futureName(LogId id) {
    return suffixed(id.folderName(), id.topicId(), FUTURE_SUFFIX);
  }

  void removed(LogId id) {
    partitionFolders.remove(id.folderName());
    known.remove(id);
  }

  /**
   * Takes its name from a folder that its partition has left; returns the new one. Synced, or a
   * power loss could bring back under its name what is no longer written to. Blocks; again after a
   * failure.
   */
  static String leave(Directory directory, LogId id) throws IOException {
    String name = suffixed(id.folderName(), id.topicId(), DELETED_SUFFIX);
    if (id.topicId().equals(FoundTopicId.read(directory.directory(id.folderName())))) {
      directory.delete(name); // of an earlier move from here, whose time has not come yet
      directory.rename(id.folderName(), name);
    }
    directory.sync();
    return name;
  }

  /** Renames a deleted partition's folder, so that its name is free; returns the new name. */
  String renameForDeletion(LogId id) throws IOException {
    return renameForDeletion(id.folderName(), id.topicId());
  }

  /** The same of a folder that was found to belong to a deleted topic. */
  String renameForDeletion(String name, Uuid topicId) throws IOException {
    return rename(name, topicId, DELETED_SUFFIX);
  }

  /** Renames a folder that belongs to no topic any more; it stays until somebody deletes it. */
  String setAside(String name) throws IOException {
    Uuid found = topicIdIn(name);
    return rename(name, found == null ? Uuid.ZERO_UUID : found, STRAY_SUFFIX);
  }

  boolean hasStrays() {
    return !strays.isEmpty();
  }

  /**
   * Gives a partition back the folder that was set aside when nobody knew it; false if none was.
   */
  boolean takeBack(LogId id) throws IOException {
    String stray = suffixed(id.folderName(), id.topicId(), STRAY_SUFFIX);
    if (!strays.remove(stray)) {
      return false;
    }
    directory.rename(stray, id.folderName());
    partitionFolders.add(id.folderName());
    takenBack.add(id.folderName());
    return true;
  }

  private String rename(String name, Uuid topicId, String suffix) throws IOException {
    String renamed = suffixed(name, topicId, suffix);
    for (int i = 2; directory.exists(renamed); i++) {
      renamed = suffixed(name, topicId, "." + i + suffix); // it was here before, and was moved away
    }
    directory.rename(name, renamed);
    partitionFolders.remove(name);
    return renamed;
  }

  private static String suffixed(String name, Uuid topicId, String suffix) {
    return name + "." + topicId.toString().replace('-', '_') + suffix;
  }

  /** Writes down what is known now: our own file, and Kafka's three for its tools. Blocks. */
  static void writeDown(Directory directory, KnownOffsets now) throws IOException {
    Map<TopicPartition, Long> recoveryPoints = new LinkedHashMap<>();
    Map<TopicPartition, Long> logStartOffsets = new LinkedHashMap<>();
    Map<TopicPartition, Long> highWatermarks = new LinkedHashMap<>();
    for (KnownOffsets.Entry entry : now.all()) {
      TopicPartition key = new TopicPartition(entry.id().topic(), entry.id().partition());
      recoveryPoints.put(key, entry.recoveryPoint());
      logStartOffsets.put(key, entry.logStartOffset());
      highWatermarks.put(key, entry.highWatermark());
    }
    now.write(directory);
    OffsetCheckpoint.write(directory, OffsetCheckpoint.RECOVERY_POINTS, recoveryPoints);
    OffsetCheckpoint.write(directory, OffsetCheckpoint.LOG_START_OFFSETS, logStartOffsets);
    OffsetCheckpoint.write(directory, OffsetCheckpoint.HIGH_WATERMARKS, highWatermarks);
  }

  /** Marks a stop after which nothing has to be checked. */
  static void writeCleanMarker(Directory directory) throws IOException {
    directory.writeAtomically(
        CLEAN_MARKER, "{\"version\":0,\"brokerEpoch\":-1}".getBytes(StandardCharsets.UTF_8));
  }
}
