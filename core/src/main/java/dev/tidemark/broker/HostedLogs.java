package dev.tidemark.broker;

import static java.util.Objects.requireNonNull;

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
  private final PartitionLog.FailureListener failureListener = this::onLogFailed;
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

  /**
   * Opens all logs assigned to this broker, then calls {@code done} on the shard. Logs that are
   * known to be as they were left are not looked at; new ones are made when there is time.
   */
  void openAll(MetadataImage image, Runnable done) {
    List<AssignedLog> assigned = new ArrayList<>();
    new TreeMap<>(image.topics().topicsByName())
        .values()
        .forEach(topic -> collectAssigned(image, topic, assigned));
    setAsideStrays(image, assigned);
    partitions.makeAwaitedBy(this::make);
    LogOpener opener = new LogOpener(shard, this::onOpened);
    for (AssignedLog one : assigned) {
      DataFolder folder = folderFor(one.id());
      if (isNew(folder, one.id())) {
        partitions.await(one);
      } else {
        folder.added(one.id());
        opener.add(one, folder);
      }
    }
    opener.openAll(
        () -> {
          open = true;
          folders.forEach(folder -> folder.forgetKnown(partitions::isOffline));
          makeAwaited();
          done.run();
        });
  }

  private static boolean isNew(DataFolder folder, LogId id) {
    return !folder.holds(id) && !folder.isKnownAs(id);
  }

  private void collectAssigned(MetadataImage image, TopicImage topic, List<AssignedLog> assigned) {
    LogSettings topicSettings = topicConfigs.of(image, topic.name()).log();
    new TreeMap<>(topic.partitions())
        .forEach(
            (index, partition) -> {
              if (partition.leader == nodeId) {
                LogId id = new LogId(topic.name(), index, topic.id());
                assigned.add(new AssignedLog(id, partition.leaderEpoch, topicSettings));
              }
            });
  }

  private void onOpened(
      AssignedLog assigned, @Nullable PartitionLog log, @Nullable Throwable failure) {
    if (log != null) {
      partitions.host(newLeader(log, assigned.leaderEpoch()));
      return;
    }
    wentOffline(
        assigned.id(),
        failure instanceof IOException known
            ? known
            : new IOException(String.valueOf(failure), failure));
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

  // --- new partitions ---

  /** Makes awaited partitions for a moment, then lets other events come first. */
  private void makeAwaited() {
    long startMs = shard.clock().monotonicMs();
    boolean more = open;
    while (more && shard.clock().monotonicMs() - startMs < MAKING_STEP_MS) {
      for (int i = 0; i < MADE_BETWEEN_LOOKS && more; i++) {
        more = partitions.makeNextAwaited();
      }
    }
    if (more) {
      shard.execute(this::makeAwaited);
    }
  }

  private static final long MAKING_STEP_MS = 5;
  private static final int MADE_BETWEEN_LOOKS = 16;

  private @Nullable PartitionLeader make(AssignedLog assigned) {
    LogId id = assigned.id();
    DataFolder folder = folderFor(id);
    folder.added(id);
    try {
      PartitionLog log =
          PartitionLog.open(
              id,
              folder.directory().directory(id.folderName()),
              assigned.settings(),
              LogOpening.unknown(),
              shard.clock());
      PartitionLeader leader = newLeader(log, assigned.leaderEpoch());
      partitions.host(leader);
      return leader;
    } catch (IOException e) {
      wentOffline(id, e);
      return null;
    }
  }

  private PartitionLeader newLeader(PartitionLog log, int leaderEpoch) {
    log.onFailure(failureListener);
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
        .filter(folder -> !isNew(folder, id))
        .findFirst()
        .orElseGet(() -> folders.stream().min(Comparator.comparingInt(DataFolder::size)).get());
  }

  /**
   * Frees the names of folders that belong to no topic: of one that was deleted, or deleted and
   * created again, while the broker was down. Nothing is deleted.
   */
  private void setAsideStrays(MetadataImage image, List<AssignedLog> assigned) {
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
    if (wanted != null && folder.isKnownAs(wanted)) {
      return;
    }
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
      makeAwaited();
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
    PartitionLeader leader = partitions.find(topic.id(), index);
    if (leader != null) {
      leader.transitionToLeader(partition.leaderEpoch);
    } else {
      LogSettings settings = topicConfigs.of(image, topic.name()).log();
      partitions.await(new AssignedLog(id, partition.leaderEpoch, settings));
    }
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
      AssignedLog assigned = new AssignedLog(id, leaderEpoch, settings);
      return () -> LogOpener.openChecked(assigned, directory, opening, shard.clock());
    }

    @Override
    public PartitionLeader lead(PartitionLog log, int leaderEpoch) {
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
