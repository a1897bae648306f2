package dev.tidemark.broker;

import static java.util.Objects.requireNonNull;

import dev.tidemark.env.Clock;
import dev.tidemark.env.Directory;
import dev.tidemark.env.Shard;
import dev.tidemark.log.CorruptLog;
import dev.tidemark.log.LogId;
import dev.tidemark.log.LogOpening;
import dev.tidemark.log.LogSettings;
import dev.tidemark.log.PartitionLog;
import dev.tidemark.metadata.MetadataListener;
import dev.tidemark.metadata.MetadataView;
import dev.tidemark.metadata.Reply;
import dev.tidemark.metadata.TopicConfigs;
import dev.tidemark.quorum.SingleVoterLog;
import dev.tidemark.replica.PartitionLeader;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.image.MetadataDelta;
import org.apache.kafka.image.MetadataImage;
import org.apache.kafka.image.TopicDelta;
import org.apache.kafka.image.TopicImage;
import org.apache.kafka.image.TopicsImage;
import org.apache.kafka.metadata.PartitionRegistration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes the logs in the data folders follow cluster metadata: opens those that are assigned to this
 * broker, creates new ones, deletes those of deleted topics, hands on changed settings. Owned by
 * the data shard; opening at the start and deleting run in the background.
 */
final class HostedLogs implements MetadataListener {
  private static final Logger LOG = LoggerFactory.getLogger(HostedLogs.class);

  private final int nodeId;
  private final Shard shard;
  private final List<DataFolder> folders;
  private final Partitions partitions;
  private final TopicConfigs topicConfigs;
  private final Map<DataFolder, FailedPartitions> failed = new LinkedHashMap<>();
  private final MetadataView view;
  private boolean open;

  HostedLogs(
      int nodeId,
      Shard shard,
      List<DataFolder> folders,
      Partitions partitions,
      TopicConfigs topicConfigs,
      MetadataView view,
      LeaderEpochRenewal epochs,
      Consumer<LogId> wentOffline) {
    this.nodeId = nodeId;
    this.shard = shard;
    this.folders = List.copyOf(folders);
    this.partitions = partitions;
    this.topicConfigs = topicConfigs;
    this.view = view;
    FailedPartitions.Port port = new Repair(epochs, wentOffline);
    for (DataFolder folder : folders) {
      failed.put(folder, new FailedPartitions(shard, folder, partitions, port));
    }
  }

  /**
   * Metadata is no longer followed: the logs are about to be closed. Returns those that cannot be
   * closed cleanly; their partitions are offline now.
   */
  List<PartitionLog> stop() {
    open = false;
    List<PartitionLog> unclean = new ArrayList<>();
    failed.values().forEach(folder -> unclean.addAll(folder.stop()));
    return unclean;
  }

  private FailedPartitions failedIn(DataFolder folder) {
    return requireNonNull(failed.get(folder), folder.directory().path());
  }

  List<DataFolder> folders() {
    return folders;
  }

  private record Assigned(LogId id, int leaderEpoch, LogSettings settings) {}

  /** Opens all logs assigned to this broker, then calls {@code done} on the shard. */
  void openAll(MetadataImage image, Runnable done) {
    List<Assigned> assigned = new ArrayList<>();
    new TreeMap<>(image.topics().topicsByName())
        .values()
        .forEach(topic -> collectAssigned(image, topic, assigned));
    setAsideStrays(image, assigned);
    int[] left = {assigned.size() + 1};
    Runnable oneDone =
        () -> {
          if (--left[0] == 0) {
            open = true;
            done.run();
          }
        };
    for (Assigned one : assigned) {
      open(one, oneDone);
    }
    oneDone.run();
  }

  private void collectAssigned(MetadataImage image, TopicImage topic, List<Assigned> assigned) {
    LogSettings topicSettings = topicConfigs.of(image, topic.name()).log();
    new TreeMap<>(topic.partitions())
        .forEach(
            (index, partition) -> {
              if (partition.leader == nodeId) {
                LogId id = new LogId(topic.name(), index, topic.id());
                assigned.add(new Assigned(id, partition.leaderEpoch, topicSettings));
              }
            });
  }

  private void open(Assigned assigned, Runnable done) {
    DataFolder folder = folderFor(assigned.id());
    LogOpening opening =
        folder.holds(assigned.id()) ? folder.opening(assigned.id()) : LogOpening.unknown();
    folder.added(assigned.id());
    Directory directory = folder.directory().directory(assigned.id().folderName());
    shard
        .background()
        .run(
            "open " + Math.floorMod(assigned.id().hashCode(), OPENING_QUEUES),
            () -> openChecked(assigned, directory, opening, shard.clock()),
            (log, failure) -> {
              onOpened(assigned, log, failure);
              done.run();
            });
  }

  private static final int OPENING_QUEUES = 2;

  /** A log that ends below what was once synced has lost files: it is not served as if whole. */
  private static PartitionLog openChecked(
      Assigned assigned, Directory directory, LogOpening opening, Clock clock) throws IOException {
    PartitionLog log =
        PartitionLog.open(assigned.id(), directory, assigned.settings(), opening, clock);
    if (log.logEndOffset() < opening.recoveryPoint()) {
      long end = log.logEndOffset();
      log.close(false);
      throw new CorruptLog(
          "%s ends at offset %d though it was synced up to %d: files are missing; restore them from a copy, or delete and create the topic again"
              .formatted(directory.path(), end, opening.recoveryPoint()));
    }
    return log;
  }

  private void onOpened(
      Assigned assigned, @Nullable PartitionLog log, @Nullable Throwable failure) {
    try {
      if (log == null) {
        throw failure instanceof IOException known
            ? known
            : new IOException(String.valueOf(failure), failure);
      }
      partitions.host(newLeader(log, assigned.leaderEpoch()));
    } catch (IOException e) {
      wentOffline(assigned.id(), e);
    }
  }

  /** One that is damaged stays offline; all else may heal. */
  private void wentOffline(LogId id, IOException why) {
    LOG.error(
        "{} cannot be opened and stays offline, other partitions serve: {}", id, why.getMessage());
    partitions.addOffline(id, String.valueOf(why.getMessage()));
    if (!(why instanceof CorruptLog)) {
      failedIn(folderFor(id)).openingFailed(id);
    }
  }

  private PartitionLeader newLeader(PartitionLog log, int leaderEpoch) throws IOException {
    log.onFailure(this::onLogFailed);
    return new PartitionLeader(log, leaderEpoch, shard.background(), shard.timers());
  }

  private void onLogFailed(PartitionLog log) {
    shard.execute(
        () -> {
          PartitionLeader leader = partitions.find(log.id().topicId(), log.id().partition());
          if (leader != null && leader.log() == log) {
            failedIn(folderFor(log.id())).logFailed(log);
          }
        });
  }

  /** Where a partition lies, or where a new one goes: the folder with the fewest partitions. */
  private DataFolder folderFor(LogId id) {
    return folders.stream()
        .filter(folder -> folder.holds(id))
        .findFirst()
        .orElseGet(() -> folders.stream().min(Comparator.comparingInt(DataFolder::size)).get());
  }

  /**
   * Frees the names of folders that belong to no topic: of one that was deleted, or deleted and
   * created again, while the broker was down. Nothing is deleted.
   */
  private void setAsideStrays(MetadataImage image, List<Assigned> assigned) {
    Map<String, LogId> wanted = new HashMap<>();
    assigned.forEach(one -> wanted.put(one.id().folderName(), one.id()));
    for (DataFolder folder : folders) {
      for (String name : List.copyOf(folder.partitionFolders())) {
        if (!name.equals(SingleVoterLog.LOG_ID.folderName())) {
          setAsideIfStray(image, folder, name, wanted.get(name));
        }
      }
    }
  }

  private static void setAsideIfStray(
      MetadataImage image, DataFolder folder, String name, @Nullable LogId wanted) {
    Uuid found = folder.topicIdIn(name);
    boolean stray =
        wanted == null
            ? found != null && image.topics().getTopic(found) == null
            : found != null && !found.equals(wanted.topicId());
    String path = folder.directory().path() + "/" + name;
    if (!stray) {
      if (wanted == null) {
        LOG.warn("{} belongs to no partition of this broker; it is left alone", path);
      }
      return;
    }
    try {
      String renamed = folder.setAside(name);
      LOG.warn("{} belongs to a topic that is no more; it is now {}", path, renamed);
    } catch (IOException e) {
      LOG.error("{} belongs to a topic that is no more and cannot be renamed", path, e);
    }
  }

  @Override
  public void onMetadataUpdate(MetadataDelta delta, MetadataImage image) {
    TopicConfigs.Changed changed = topicConfigs.onMetadataUpdate(delta);
    if (!open) {
      return; // openAll takes the image as it is then
    }
    if (delta.topicsDelta() != null) {
      TopicsImage before = delta.topicsDelta().image();
      delta.topicsDelta().deletedTopicIds().stream()
          .sorted()
          .forEach(id -> deleteTopic(id, before.getTopic(id)));
      delta.topicsDelta().changedTopics().values().stream()
          .sorted(Comparator.comparing(TopicDelta::name))
          .forEach(topic -> applyTopic(image, topic));
    }
    applySettings(image, changed);
  }

  private void applyTopic(MetadataImage image, TopicDelta topic) {
    new TreeMap<>(topic.partitionChanges())
        .forEach((index, partition) -> applyPartition(image, topic, index, partition));
  }

  private void applyPartition(
      MetadataImage image, TopicDelta topic, int index, PartitionRegistration partition) {
    LogId id = new LogId(topic.name(), index, topic.id());
    if (partition.leader != nodeId || partitions.isOffline(id)) {
      return;
    }
    try {
      PartitionLeader leader = partitions.find(topic.id(), index);
      if (leader == null) {
        create(id, partition.leaderEpoch, topicConfigs.of(image, topic.name()).log());
      } else {
        leader.transitionToLeader(partition.leaderEpoch);
      }
    } catch (IOException e) {
      wentOffline(id, e);
    }
  }

  private void create(LogId id, int leaderEpoch, LogSettings logSettings) throws IOException {
    DataFolder folder = folderFor(id);
    folder.added(id);
    Directory directory = folder.directory().directory(id.folderName());
    PartitionLog log =
        PartitionLog.open(id, directory, logSettings, LogOpening.unknown(), shard.clock());
    partitions.host(newLeader(log, leaderEpoch));
  }

  private void deleteTopic(Uuid topicId, @Nullable TopicImage before) {
    HostedTopic topic = partitions.removeTopic(topicId);
    if (topic != null) {
      topic.hosted().forEach(this::deletePartition);
    }
    if (before != null) {
      for (int index : new TreeMap<>(before.partitions()).keySet()) {
        deleteOffline(new LogId(before.name(), index, topicId));
      }
    }
  }

  /** A partition that could not be opened leaves its folder and its name as well. */
  private void deleteOffline(LogId id) {
    if (partitions.isOffline(id)) {
      partitions.removeOffline(id);
      failedIn(folderFor(id))
          .forget(id, () -> deleteFiles(id, LogSettings.defaults().fileDeleteDelayMs()));
    }
  }

  private void deletePartition(PartitionLeader partition) {
    LogId id = partition.log().id();
    try {
      partition.close();
    } catch (IOException e) {
      LOG.warn("The log of {} was not closed in order before its deletion", id, e);
    }
    failedIn(folderFor(id))
        .forget(id, () -> deleteFiles(id, partition.log().settings().fileDeleteDelayMs()));
  }

  /** The name is free at once; the data goes in the background. */
  private void deleteFiles(LogId id, long delayMs) {
    DataFolder folder = folderFor(id);
    try {
      String renamed = folder.renameForDeletion(id);
      shard.timers().schedule(delayMs, () -> deleteFolder(folder.directory(), renamed));
      LOG.info("Deleted the log of {}; its files go in a moment", id);
    } catch (IOException e) {
      LOG.error("The log of {} cannot be deleted; its folder stays", id, e);
    }
  }

  private void deleteFolder(Directory directory, String name) {
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

  private void applySettings(MetadataImage image, TopicConfigs.Changed changed) {
    if (changed.all()) {
      partitions.forEach(partition -> applySettings(image, partition));
    } else {
      for (String topic : changed.topics()) {
        partitions.forEachOf(topic, partition -> applySettings(image, partition));
      }
    }
  }

  private void applySettings(MetadataImage image, PartitionLeader partition) {
    String topic = partition.log().id().topic();
    partition.log().updateSettings(topicConfigs.of(image, topic).log());
  }

  /** What opening a failed partition again takes. */
  private final class Repair implements FailedPartitions.Port {
    private final LeaderEpochRenewal epochs;
    private final Consumer<LogId> wentOffline;

    Repair(LeaderEpochRenewal epochs, Consumer<LogId> wentOffline) {
      this.epochs = epochs;
      this.wentOffline = wentOffline;
    }

    @Override
    public FailedPartitions.@Nullable Opener opener(LogId id, LogOpening opening) {
      int leaderEpoch = leaderEpoch(id);
      if (leaderEpoch < 0) {
        return null;
      }
      LogSettings settings = topicConfigs.of(view.image(), id.topic()).log();
      Directory directory = folderFor(id).directory().directory(id.folderName());
      Assigned assigned = new Assigned(id, leaderEpoch, settings);
      return () -> openChecked(assigned, directory, opening, shard.clock());
    }

    @Override
    public PartitionLeader lead(PartitionLog log, int leaderEpoch) throws IOException {
      log.updateSettings(topicConfigs.of(view.image(), log.id().topic()).log());
      return newLeader(log, leaderEpoch);
    }

    @Override
    public int leaderEpoch(LogId id) {
      TopicImage topic = view.image().topics().getTopic(id.topicId());
      PartitionRegistration state = topic == null ? null : topic.partitions().get(id.partition());
      return state == null || state.leader != nodeId ? -1 : state.leaderEpoch;
    }

    @Override
    public void renew(LogId id, Reply<Integer> reply) {
      epochs.renew(id, reply);
    }

    @Override
    public void wentOffline(LogId id) {
      wentOffline.accept(id);
    }
  }
}
