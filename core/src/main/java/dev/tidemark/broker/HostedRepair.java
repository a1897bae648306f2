package dev.tidemark.broker;

import dev.tidemark.env.Clock;
import dev.tidemark.env.Directory;
import dev.tidemark.log.LogId;
import dev.tidemark.log.LogOpening;
import dev.tidemark.log.LogSettings;
import dev.tidemark.log.PartitionLog;
import dev.tidemark.metadata.Reply;
import dev.tidemark.replica.HostedReplica;
import org.jspecify.annotations.Nullable;

/** What opening a failed partition again takes of the logs that are hosted. */
final class HostedRepair implements FailedPartitions.Port {
  private final HostedLogs logs;
  private final LedPartitionCalls epochs;
  private final Clock clock;
  private final HostedLogs.Owner owner;

  HostedRepair(HostedLogs logs, Clock clock, LedPartitionCalls epochs, HostedLogs.Owner owner) {
    this.logs = logs;
    this.clock = clock;
    this.epochs = epochs;
    this.owner = owner;
  }

  @Override
  public FailedPartitions.@Nullable Opener opener(LogId id, LogOpening opening) {
    DataFolder folder = logs.holding(id);
    if (!isAssigned(id) || folder == null) {
      return null;
    }
    LogSettings settings = logs.settings(id.topic());
    Directory directory = folder.directory().directory(id.folderName());
    AssignedLog assigned = new AssignedLog(id, folder.directoryId(), settings);
    return () -> {
      folder.directory().sync(); // or a power loss takes the name that a move has just given it
      return LogOpener.openChecked(assigned, directory, opening, clock);
    };
  }

  @Override
  public void serve(PartitionLog log) {
    log.updateSettings(logs.settings(log.id().topic()));
    DataFolder folder = logs.holding(log.id());
    HostedReplica unused =
        logs.serve(log, folder == null ? 0 : folder.knownHighWatermark(log.id()));
  }

  @Override
  public boolean isAssigned(LogId id) {
    return logs.roles().isAssigned(id);
  }

  @Override
  public boolean isLed(LogId id) {
    return logs.roles().isLed(id);
  }

  @Override
  public boolean isLedInPlaceOfOthers(LogId id) {
    return logs.roles().isLedInPlaceOfOthers(id);
  }

  @Override
  public void renew(LogId id, Reply<Integer> reply) {
    epochs.renew(id, reply);
  }

  @Override
  public void wentOffline(LogId id) {
    owner.wentOffline(id);
  }

  @Override
  public boolean isIndispensable(DataFolder folder) {
    return folder.equals(logs.folders().get(0));
  }

  @Override
  public void cannotGoOn(String why) {
    owner.cannotGoOn(why);
  }
}
