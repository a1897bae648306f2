package dev.tidemark.broker;

import dev.tidemark.log.LogId;
import dev.tidemark.log.LogSettings;
import dev.tidemark.log.PartitionLog;
import dev.tidemark.replica.HostedReplica;
import java.util.List;

/** What moving a partition between the folders takes of the logs that are hosted. */
final class HostedMoves implements PartitionMoves.Port {
  private final HostedLogs logs;
  private final LedPartitionCalls calls;
  private final HostedLogs.Owner owner;

  HostedMoves(HostedLogs logs, LedPartitionCalls calls, HostedLogs.Owner owner) {
    this.logs = logs;
    this.calls = calls;
    this.owner = owner;
  }

  @Override
  public List<DataFolder> folders() {
    return logs.folders();
  }

  @Override
  public boolean isOnline(DataFolder folder) {
    return !logs.failedIn(folder).isFolderFailed();
  }

  @Override
  public FolderWork work(DataFolder folder) {
    return logs.failedIn(folder).work();
  }

  @Override
  public LogSettings settings(String topic) {
    return logs.settings(topic);
  }

  @Override
  public LedPartitionCalls calls() {
    return calls;
  }

  @Override
  public void wentOffline(LogId id) {
    owner.wentOffline(id);
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
  public void serve(PartitionLog log, long knownHighWatermark) {
    if (!logs.isOpen()) {
      LogCloser.closeUnneeded(log);
      return;
    }
    log.updateSettings(settings(log.id().topic()));
    HostedReplica unused = logs.serve(log, knownHighWatermark);
  }

  @Override
  public void interrupted(DataFolder folder, LogId id) {
    logs.failedIn(folder).interrupted(id);
  }

  @Override
  public void deleteLater(DataFolder folder, String name) {
    logs.deleteLater(folder, name);
  }
}
