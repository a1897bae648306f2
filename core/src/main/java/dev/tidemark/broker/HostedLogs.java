package dev.tidemark.broker;

import static java.util.Objects.requireNonNull;

import dev.tidemark.broker.replication.Replication;
import dev.tidemark.broker.request.LogDir;
import dev.tidemark.env.Shard;
import dev.tidemark.log.CorruptLog;
import dev.tidemark.log.LogId;
import dev.tidemark.log.LogSettings;
import dev.tidemark.log.PartitionLog;
import dev.tidemark.metadata.MetadataListener;
import dev.tidemark.metadata.MetadataView;
import dev.tidemark.metadata.TopicConfigs;
import dev.tidemark.metadata.TopicSettings;
import dev.tidemark.replica.HostedReplica;
import dev.tidemark.replica.PartitionLeader;
import dev.tidemark.replica.PartitionReplica;
import dev.tidemark.replica.ReplicaContext;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
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

  private final Map<DataFolder, ReplicaContext> replicaContexts = new LinkedHashMap<>();
  private final Shard shard;
  private final DataFolderSet folders;
  private final Partitions partitions;
  private final TopicConfigs topicConfigs;
  private final Map<DataFolder, FailedPartitions> failed = new LinkedHashMap<>();
  private final MetadataView view;
  private final PartitionLog.FailureListener failureListener = new Failures();
  private final PartitionMoves moves;
  private final FolderDeletion deletion;
  private final AssignmentCorrections corrections;
  private final Replication replication;
  private final ReplicaRoles roles;
  private final NewLogs newLogs;
  private boolean open;

  HostedLogs(
      int nodeId,
      Shard shard,
      List<DataFolder> folders,
      Partitions partitions,
      TopicConfigs topicConfigs,
      MetadataView view,
      LedPartitionCalls epochs,
      Replication replication,
      Owner owner) {
    this.shard = shard;
    this.folders = new DataFolderSet(folders);
    this.partitions = partitions;
    this.topicConfigs = topicConfigs;
    this.view = view;
    this.deletion = new FolderDeletion(shard.timers(), folder -> failedIn(folder).work());
    this.moves = new PartitionMoves(shard, partitions, new HostedMoves(this, epochs, owner));
    this.corrections = new AssignmentCorrections(epochs, moves::isMoving, shard.timers());
    this.replication = replication;
    this.roles = new ReplicaRoles(nodeId, view, topicConfigs, replication.followers());
    this.newLogs = new NewLogs(shard, this.folders, partitions, corrections, new Creation());
    FailedPartitions.Port port = new HostedRepair(this, shard.clock(), epochs, owner);
    for (DataFolder folder : folders) {
      FailedPartitions repaired = new FailedPartitions(shard, folder, partitions, port);
      failed.put(folder, repaired);
      FolderCheckpoint checkpoint = folder.checkpoint();
      replicaContexts.put(
          folder,
          replication.context(
              repaired.work(), (log, endOffset) -> checkpoint.lower(log.id(), endOffset)));
    }
  }

  /**
   * Metadata is no longer followed: the logs are about to be closed. Returns those that cannot be
   * closed cleanly; their partitions are offline now.
   */
  List<PartitionLog> stop() {
    open = false;
    List<PartitionLog> unclean = new ArrayList<>();
    moves.stop();
    corrections.stop();
    replication.stop();
    failed.values().forEach(folder -> unclean.addAll(folder.stop()));
    return unclean;
  }

  /** Moves between the folders. */
  PartitionMoves moves() {
    return moves;
  }

  /** Whom the broker tells of what its disks do. */
  interface Owner {
    /** A partition that served serves no more. */
    void wentOffline(LogId id);

    /** The broker has to stop; why, in one line. */
    void cannotGoOn(String why);
  }

  /** Metadata could not be written: is it the folder's fault? */
  void suspectMetadataFolder() {
    if (open) {
      failedIn(folders.get(0)).suspect();
    }
  }

  /** Something failed that concerns them all: is it their fault? */
  void suspectFolders() {
    if (open) {
      failed.values().forEach(FailedPartitions::suspect);
    }
  }

  FailedPartitions failedIn(DataFolder folder) {
    return requireNonNull(failed.get(folder), folder.directory().path());
  }

  boolean isOpen() {
    return open;
  }

  /** The folder that has the partition, or null. */
  @Nullable DataFolder holding(LogId id) {
    return folders.holding(id);
  }

  /** What a topic's partitions go by now. */
  LogSettings settings(String topic) {
    return topicConfigs.of(view.image(), topic).log();
  }

  /** The roles that the metadata name. */
  ReplicaRoles roles() {
    return roles;
  }

  /** Serves a log that was opened for a partition of this node. */
  HostedReplica serve(PartitionLog log, long knownHighWatermark) {
    log.onFailure(failureListener);
    DataFolder folder = folders.containing(log);
    ReplicaContext context = requireNonNull(replicaContexts.get(folder), log.folder().path());
    HostedReplica replica = roles.begin(log, knownHighWatermark, context);
    partitions.host(replica);
    return replica;
  }

  /** Frees the space of a folder that has no partition's name any more. */
  void deleteLater(DataFolder folder, String name) {
    deletion.deleteLater(folder, name, LogSettings.defaults().fileDeleteDelayMs());
  }

  List<DataFolder> folders() {
    return folders.all();
  }

  /** The folders as clients may ask for them. */
  List<LogDir> logDirs() {
    return folders.all().stream()
        .map(
            folder ->
                new LogDir(
                    folder.directory(),
                    !failedIn(folder).isFolderFailed(),
                    folder::holds,
                    failedIn(folder).work()))
        .toList();
  }

  /** The ids of those that do not answer. */
  List<Uuid> offlineFolderIds() {
    return folders.all().stream()
        .filter(folder -> failedIn(folder).isFolderFailed())
        .map(DataFolder::directoryId)
        .toList();
  }

  /** The folders that answer. */
  List<DataFolder> onlineFolders() {
    return folders.all().stream().filter(folder -> !failedIn(folder).isFolderFailed()).toList();
  }

  /**
   * Runs {@code then} when the shard has heard of the end of each sync. Those of a folder that
   * failed are not waited for.
   */
  void afterSyncs(Runnable then) {
    List<DataFolder> online = onlineFolders();
    int[] left = {online.size()};
    for (DataFolder folder : online) {
      failedIn(folder)
          .work()
          .run(
              PartitionLeader.SYNCS,
              () -> folder,
              (done, failure) -> {
                if (--left[0] == 0) {
                  then.run();
                }
              });
    }
  }

  /**
   * Opens all logs assigned to this broker, then calls {@code done} on the shard. Logs that are
   * known to be as they were left are not looked at; new ones are made when there is time.
   */
  void openAll(MetadataImage image, Runnable done) {
    long beganMs = shard.clock().monotonicMs();
    List<AssignedLog> assigned = new ArrayList<>();
    new TreeMap<>(image.topics().topicsByName())
        .values()
        .forEach(topic -> collectAssigned(image, topic, assigned));
    new StrayFolders(folders, view, deletion).setAside(image, assigned);
    view.forgetDeletions();
    partitions.makeAwaitedBy(newLogs::make);
    LogOpener opener = new LogOpener(shard, this::onOpened);
    for (AssignedLog one : assigned) {
      try {
        DataFolder folder = folders.locate(one.id(), one.directoryId());
        folder.requireNotMissing(one.id());
        if (isNew(folder, one.id())) {
          partitions.await(one);
        } else {
          folder.added(one.id());
          opener.add(one, folder);
          corrections.found(one, folder);
        }
      } catch (IOException e) {
        wentOffline(one.id(), e);
      }
    }
    moves.removeLeftCopies();
    replication.keepIn(folders.get(0).directory());
    opener.openAll(
        () -> {
          open = true;
          catchUp(image);
          long tookMs = shard.clock().monotonicMs() - beganMs;
          LOG.info("Loaded {} logs in {}ms", assigned.size(), tookMs);
          corrections.tell();
          folders.all().forEach(folder -> folder.forgetKnown(partitions::isOffline));
          newLogs.makeAwaited();
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
              if (roles.isAssigned(partition)) {
                LogId id = new LogId(topic.name(), index, topic.id());
                assigned.add(new AssignedLog(id, roles.directory(partition), topicSettings));
              }
            });
  }

  private void onOpened(
      AssignedLog assigned, @Nullable PartitionLog log, @Nullable Throwable failure) {
    if (log != null) {
      DataFolder folder = folders.containing(log);
      HostedReplica unused = serve(log, folder.knownHighWatermark(assigned.id()));
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
    DataFolder folder = folders.holding(id);
    if (folder != null && !(why instanceof CorruptLog)) {
      failedIn(folder).openingFailed(id);
    }
  }

  /** What making new logs takes of this. */
  private final class Creation implements NewLogs.Port {
    @Override
    public boolean isOpen() {
      return open;
    }

    @Override
    public boolean isOccupied(LogId id) {
      return moves.occupies(id) || failed.values().stream().anyMatch(one -> one.occupies(id));
    }

    @Override
    public boolean isAssigned(LogId id) {
      return roles.isAssigned(id);
    }

    @Override
    public HostedReplica serve(PartitionLog log) {
      return HostedLogs.this.serve(log, 0);
    }

    @Override
    public void wentOffline(LogId id, IOException why) {
      HostedLogs.this.wentOffline(id, why);
    }
  }

  /** Told within a call of the log, so what follows is an event of its own. */
  private final class Failures implements PartitionLog.FailureListener {
    @Override
    public void onFailed(PartitionLog log) {
      later(log, folder -> folder.logFailed(log));
    }

    @Override
    public void onReadFailed(PartitionLog log) {
      later(log, FailedPartitions::suspect);
    }

    private void later(PartitionLog log, Consumer<FailedPartitions> then) {
      shard.execute(
          () -> {
            DataFolder folder = folders.holding(log.id());
            if (partitions.replicaOf(log) != null && folder != null) {
              then.accept(failedIn(folder));
            }
          });
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
      newLogs.makeAwaited();
    }
    applySettings(image, changed);
    if (delta.clusterDelta() != null && replication.hasOthers()) {
      partitions.forEachLeader(PartitionLeader::onBrokersChanged);
    }
  }

  private void applyTopic(MetadataImage image, TopicDelta topic) {
    new TreeMap<>(topic.partitionChanges())
        .forEach(
            (index, partition) ->
                applyPartition(image, new LogId(topic.name(), index, topic.id()), partition));
  }

  /** Takes in what has become of the metadata since {@code before}, while logs were opened. */
  private void catchUp(MetadataImage before) {
    MetadataImage now = view.image();
    if (now.provenance().equals(before.provenance())) {
      return;
    }
    for (TopicImage topic : new TreeMap<>(before.topics().topicsByName()).values()) {
      if (now.topics().getTopic(topic.id()) == null) {
        deleteTopic(topic.id(), topic);
      }
    }
    for (TopicImage topic : new TreeMap<>(now.topics().topicsByName()).values()) {
      new TreeMap<>(topic.partitions())
          .forEach(
              (index, state) ->
                  applyPartition(now, new LogId(topic.name(), index, topic.id()), state));
    }
    partitions.forEachReplica(replica -> applySettings(now, replica));
  }

  private void applyPartition(MetadataImage image, LogId id, PartitionRegistration state) {
    if (!roles.isAssigned(state)) {
      leave(id);
      return;
    }
    if (partitions.isOffline(id)) {
      return;
    }
    HostedReplica replica = partitions.replica(id.topicId(), id.partition());
    if (replica != null) {
      boolean led = replica.leader() != null;
      roles.apply(replica);
      if (!led && replica.leader() != null && replica.log().failure() != null) {
        failureListener.onFailed(replica.log()); // it cannot lead: others may have to at once
      }
    } else {
      LogSettings settings = topicConfigs.of(image, id.topic()).log();
      partitions.await(new AssignedLog(id, roles.directory(state), settings));
    }
  }

  /** The partition has other replicas now: what is here of it goes, as when it is deleted. */
  private void leave(LogId id) {
    HostedReplica replica = partitions.remove(id);
    if (replica != null) {
      LOG.info("{} is no longer assigned to this broker; its log is deleted", id);
      deletePartition(replica);
    } else {
      deleteOffline(id);
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
      forgetAndDelete(id, LogSettings.defaults().fileDeleteDelayMs());
    }
  }

  private void deletePartition(HostedReplica partition) {
    LogId id = partition.log().id();
    partition.stop();
    try {
      partition.log().close(false);
    } catch (IOException e) {
      LOG.warn("The log of {} was not closed in order before its deletion", id, e);
    }
    forgetAndDelete(id, partition.log().settings().fileDeleteDelayMs());
  }

  /** Files in a folder that is not here are found as strays when it is back. */
  private void forgetAndDelete(LogId id, long delayMs) {
    DataFolder folder = folders.holding(id);
    if (folder != null) {
      boolean later = moves.deferDeletion(id, home -> deleteLate(home, id, delayMs));
      if (!later) {
        failedIn(folder).forget(id, () -> deleteLate(folder, id, delayMs));
      }
    }
  }

  /** Deletes what nothing holds up any more; its name may be awaited. */
  private void deleteLate(DataFolder folder, LogId id, long delayMs) {
    deletion.delete(folder, id, delayMs);
    newLogs.retryDelayed();
  }

  private void applySettings(MetadataImage image, TopicConfigs.Changed changed) {
    if (changed.all()) {
      partitions.forEachReplica(partition -> applySettings(image, partition));
    } else {
      for (String topic : changed.topics()) {
        partitions.forEachOf(topic, partition -> applySettings(image, partition));
      }
    }
  }

  private void applySettings(MetadataImage image, HostedReplica partition) {
    TopicSettings settings = topicConfigs.of(image, partition.log().id().topic());
    PartitionReplica role = partition.role();
    if (role != null) {
      role.updateSettings(settings.log());
    }
    if (role instanceof PartitionLeader leader) {
      leader.onMinInSyncReplicas(settings.minInsyncReplicas());
    }
  }
}
