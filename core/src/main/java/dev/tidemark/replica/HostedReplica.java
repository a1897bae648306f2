package dev.tidemark.replica;

import dev.tidemark.log.PartitionLog;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * A replica on this broker: its log for as long as it is here, and the role that the metadata gives
 * it. The one owner of the transitions between roles; a role that ends has told all who wait before
 * {@link #apply} returns. Owned by one shard.
 *
 * <table>
 * <caption>Transitions, by the leader that newer metadata names</caption>
 * <tr><th>role</th><th>this broker</th><th>another one</th><th>nobody</th></tr>
 * <tr><td>none</td><td>leader</td><td>follower</td><td>follower that waits</td></tr>
 * <tr><td>leader</td><td>leader, new epoch</td><td>follower</td><td>follower that waits</td></tr>
 * <tr><td>follower</td><td>leader</td><td>follower of that one</td><td>follower that waits</td></tr>
 * </table>
 */
public final class HostedReplica {
  private static final Logger LOG = LoggerFactory.getLogger(HostedReplica.class);

  private final PartitionLog log;
  private final ReplicaContext context;
  private final RoleListener listener;
  private @Nullable PartitionReplica role;
  private @Nullable PartitionLeader leader;
  private @Nullable Traffic traffic;
  private long highWatermark;
  private long writtenHighWatermark = -1;

  /** A replica without a role yet, for which nobody fetches. */
  public HostedReplica(PartitionLog log, long checkpointedHighWatermark, ReplicaContext context) {
    this(log, checkpointedHighWatermark, context, RoleListener.NONE);
  }

  /**
   * A replica without a role yet.
   *
   * @param checkpointedHighWatermark what the broker has written down of it, 0 when nothing
   * @param listener hears whom it follows
   */
  public HostedReplica(
      PartitionLog log,
      long checkpointedHighWatermark,
      ReplicaContext context,
      RoleListener listener) {
    this.log = log;
    this.context = context;
    this.highWatermark = checkpointedHighWatermark;
    this.listener = listener;
  }

  public PartitionLog log() {
    return log;
  }

  /** The role it has now; null before the first metadata and after {@link #stop}. */
  public @Nullable PartitionReplica role() {
    return role;
  }

  /** The role it has now if it leads, else null. */
  public @Nullable PartitionLeader leader() {
    return leader;
  }

  /** What truncations have removed from its log. */
  public LostTails lostTails() {
    return role instanceof PartitionFollower follower
        ? follower.lostTails()
        : new LostTails(log, context.lostTailMaxBytes());
  }

  /** Exclusive; without a role what the last one knew. */
  public long highWatermark() {
    return role == null ? highWatermark : role.highWatermark();
  }

  /** True if the high watermark is another than when this was last asked. */
  public boolean takeHighWatermarkMoved() {
    long before = writtenHighWatermark;
    writtenHighWatermark = highWatermark();
    return before != writtenHighWatermark;
  }

  /** Where what is written and read here is counted, in this role and the next ones. */
  public void countIn(Traffic topicTraffic) {
    traffic = topicTraffic;
    if (role != null) {
      role.countIn(topicTraffic);
    }
  }

  /**
   * Takes in committed metadata; without effect when it is older than what the role knows.
   *
   * @param minInSyncReplicas {@code min.insync.replicas} of the topic
   * @return the role it has now
   */
  public PartitionReplica apply(CommittedPartition committed, int minInSyncReplicas) {
    PartitionReplica after = transition(committed, minInSyncReplicas);
    if (after instanceof PartitionFollower follower) {
      listener.onFollowing(follower);
    }
    return after;
  }

  private PartitionReplica transition(CommittedPartition committed, int minInSyncReplicas) {
    PartitionReplica now = role;
    if (now != null && committed.leaderEpoch() < now.leaderEpoch()) {
      return now;
    }
    boolean leads = committed.leaderId() == context.brokerId();
    if (leads && now instanceof PartitionLeader same) {
      same.onCommitted(committed);
      return same;
    }
    if (!leads && now instanceof PartitionFollower follower) {
      follower.onLeader(committed.leaderId(), committed.leaderEpoch());
      return follower;
    }
    if (leads && now != null && committed.leaderEpoch() == now.leaderEpoch()) {
      // Somebody else led in it: two leaders of one epoch could write two records at one offset.
      LOG.error("[Partition {}] Does not begin to lead within an epoch: {}", log.id(), committed);
      return now;
    }
    return leads
        ? transitionToLeader(committed, minInSyncReplicas)
        : transitionToFollower(committed);
  }

  private PartitionReplica transitionToLeader(CommittedPartition committed, int minInSyncReplicas) {
    SeenLeader before = role instanceof PartitionFollower follower ? follower.leaderBefore() : null;
    endRole();
    PartitionLeader next =
        new PartitionLeader(log, committed, highWatermark, minInSyncReplicas, before, context);
    leader = next;
    begin(next);
    // Of partitions without followers there may be thousands that all begin at a start.
    LOG.atLevel(committed.replicas().size() > 1 ? Level.INFO : Level.DEBUG)
        .log(
            "[Partition {}] Leads in leader epoch {} from offset {} with high watermark {}, ISR {},"
                + " replicas {}",
            log.id(),
            committed.leaderEpoch(),
            next.epochStartOffset(),
            next.highWatermark(),
            committed.isr(),
            committed.replicas());
    ElectionLoss loss = next.electionLoss();
    if (loss != null) {
      listener.onElected(log.id(), loss);
    }
    if (loss != null && loss.offsets() > 0) {
      LOG.warn("[Partition {}] The election lost {}", log.id(), loss);
    }
    return next;
  }

  private void begin(PartitionReplica next) {
    role = next;
    if (traffic != null) {
      next.countIn(traffic);
    }
  }

  private PartitionReplica transitionToFollower(CommittedPartition committed) {
    endRole();
    PartitionFollower follower =
        new PartitionFollower(
            log, committed.leaderId(), committed.leaderEpoch(), highWatermark, context);
    begin(follower);
    LOG.info(
        "[Partition {}] Follows broker {} in leader epoch {} from offset {} with high watermark {}",
        log.id(),
        committed.leaderId(),
        committed.leaderEpoch(),
        log.logEndOffset(),
        follower.highWatermark());
    return follower;
  }

  private void endRole() {
    PartitionReplica ended = role;
    if (ended != null) {
      role = null;
      leader = null;
      highWatermark = ended.highWatermark();
      if (ended instanceof PartitionFollower follower) {
        listener.onFollowingEnded(follower);
      }
      ended.stop();
    }
  }

  /** Ends the role, as when the broker stops or the partition is deleted. The log stays open. */
  public void stop() {
    endRole();
  }
}
