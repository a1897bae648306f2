package dev.tidemark.metadata;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.common.DirectoryId;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.metadata.PartitionChangeRecord;
import org.apache.kafka.metadata.LeaderConstants;
import org.apache.kafka.metadata.LeaderRecoveryState;
import org.apache.kafka.metadata.PartitionRegistration;
import org.apache.kafka.metadata.Replicas;

/**
 * A partition's state on its way from what is committed to what a decision makes of it. Several
 * steps of one decision end in one record: one partition epoch, at most one leader epoch.
 *
 * <p>Two rules hold whatever the steps are. A leader that may still serve is never replaced in one
 * go: the partition is left without a leader, and the next one is elected once the old one is known
 * to have stopped. And a replica that leaves the ISR while it is below its floor stays eligible
 * (KIP-966), because the high watermark stood still without it; one that stopped uncleanly does
 * not.
 */
final class PartitionChange {
  private static final int NOBODY = LeaderConstants.NO_LEADER;

  /** What a decision knows of brokers and of this partition. */
  interface Facts {
    /** The broker is unfenced, not shutting down, and the folder is online there. */
    boolean isActive(int brokerId, Uuid directory);

    /** It is not proven that the broker has stopped to serve what lies in its folder. */
    boolean mayServe(int brokerId, Uuid directory);

    /** An earlier leader of this partition may still serve, so that none may be elected yet. */
    boolean isHeld();

    /** min.insync.replicas, not capped. */
    int minInsyncReplicas();

    boolean keepsEligible();

    boolean allowsUncleanElection();
  }

  private final PartitionRegistration base;
  private final Facts facts;
  private final Map<Integer, Uuid> directories = new HashMap<>();
  private List<Integer> replicas;
  private List<Integer> isr;
  private List<Integer> adding;
  private List<Integer> removing;
  private List<Integer> elr;
  private List<Integer> lastKnown;
  private int leader;
  private LeaderRecoveryState recovery;
  private boolean newEpoch;
  private boolean steppedDown;
  private boolean unclean;

  PartitionChange(PartitionRegistration base, Facts facts) {
    this.base = base;
    this.facts = facts;
    this.replicas = Replicas.toList(base.replicas);
    this.isr = Replicas.toList(base.isr);
    this.adding = Replicas.toList(base.addingReplicas);
    this.removing = Replicas.toList(base.removingReplicas);
    this.elr = Replicas.toList(base.elr);
    this.lastKnown = Replicas.toList(base.lastKnownElr);
    this.leader = base.leader;
    this.recovery = base.leaderRecoveryState;
    for (int i = 0; i < base.replicas.length; i++) {
      directories.put(base.replicas[i], base.directories[i]);
    }
  }

  List<Integer> replicas() {
    return replicas;
  }

  List<Integer> isr() {
    return isr;
  }

  List<Integer> elr() {
    return elr;
  }

  int leader() {
    return leader;
  }

  boolean hasLeader() {
    return leader != NOBODY;
  }

  /** The record will begin a new leader epoch. */
  boolean beginsEpoch() {
    return leader != base.leader || (newEpoch && hasLeader());
  }

  /** The election of this change may have lost acknowledged records. */
  boolean isUnclean() {
    return unclean;
  }

  boolean isActive(int replica) {
    return replicas.contains(replica) && facts.isActive(replica, directory(replica));
  }

  /** The replica is in sync no more, but has all it had. */
  void leaveIsr(int replica) {
    if (isr.contains(replica)) {
      replaceIsr(without(isr, List.of(replica)), List.of());
    }
    settle();
  }

  /** What the replica had written may be gone. */
  void stopUncleanly(int replica) {
    if (leader == replica) {
      loseLeader(); // it may lead again, but one epoch and offset must not stand for two records
    }
    if (!facts.keepsEligible()) {
      leaveIsr(replica);
      return;
    }
    if (isr.contains(replica)) {
      replaceIsr(without(isr, List.of(replica)), List.of(replica));
    }
    elr = without(elr, List.of(replica));
    settle();
  }

  /** What the leader proposes; the leader is in it. */
  void setIsr(List<Integer> proposed, LeaderRecoveryState proposedRecovery) {
    replaceIsr(proposed, List.of());
    recovery = proposedRecovery;
    settle();
  }

  /**
   * Where the partition moves; {@code newReplicas} are the old ones that remain or leave, and the
   * new ones. Those in none of the lists are dropped at once.
   */
  void setReplicas(List<Integer> newReplicas, List<Integer> newAdding, List<Integer> newRemoving) {
    if (!newReplicas.containsAll(replicas)) {
      newEpoch = true; // so that those that left are refused as followers
    }
    replicas = List.copyOf(newReplicas);
    adding = List.copyOf(newAdding);
    removing = List.copyOf(newRemoving);
    elr = both(elr, replicas);
    lastKnown = both(lastKnown, replicas);
    replaceIsr(both(isr, replicas), List.of());
    settle();
  }

  /** The replica lies in this folder from now on. */
  void setDirectory(int replica, Uuid directory) {
    directories.put(replica, directory);
  }

  /** Looks at the floor of the ISR anew. */
  void reviewEligible() {
    replaceIsr(isr, List.of());
    settle();
  }

  /** Begins a new epoch of the same leader. */
  void renewEpoch() {
    newEpoch = true;
  }

  /** Elects a leader if there is none that may go on. */
  void electIfNeeded() {
    settle();
  }

  /** Gives the partition to its preferred replica; false if that cannot lead or leads already. */
  boolean electPreferred() {
    int preferred = replicas.get(0);
    if (leader == preferred || !isr.contains(preferred) || !isActive(preferred)) {
      return false;
    }
    loseLeader();
    steppedDown = committedLeaderMayServe();
    settle();
    return true;
  }

  /**
   * Elects any replica that is there, where none that may lead is; false if none is there. Where an
   * old leader may still serve, nobody is elected yet.
   */
  boolean electUncleanly() {
    LeaderChoice choice = LeaderChoice.of(replicas, isr, elr, lastKnown, true, this::isActive);
    if (hasLeader() || choice.leader() == NOBODY) {
      return false;
    }
    if (!facts.isHeld()) {
      take(choice);
    }
    return true;
  }

  private int floor() {
    return Math.min(facts.minInsyncReplicas(), replicas.size());
  }

  private void replaceIsr(List<Integer> newIsr, List<Integer> lost) {
    if (!facts.keepsEligible()) {
      elr = List.of();
      lastKnown = List.of();
      isr = newIsr.isEmpty() ? isr : newIsr; // the last one stays, or none could ever lead again
      return;
    }
    if (newIsr.size() >= floor()) {
      elr = List.of();
    } else {
      Set<Integer> eligible = new LinkedHashSet<>(elr);
      eligible.addAll(isr);
      elr = both(without(List.copyOf(eligible), newIsr), without(replicas, lost));
    }
    isr = newIsr;
  }

  /** Leads on, elects, or is left without a leader; then ends a reassignment that is done. */
  private void settle() {
    if (hasLeader() && !(isr.contains(leader) && isActive(leader))) {
      loseLeader();
    }
    if (!hasLeader() && !steppedDown && !facts.isHeld()) {
      elect();
    }
    completeReassignment();
  }

  private void elect() {
    LeaderChoice choice =
        LeaderChoice.of(
            replicas, isr, elr, lastKnown, facts.allowsUncleanElection(), this::isActive);
    if (choice.leader() == base.leader || !committedLeaderMayServe()) {
      take(choice);
    }
  }

  private boolean committedLeaderMayServe() {
    return base.leader != NOBODY && facts.mayServe(base.leader, directory(base.leader));
  }

  private Uuid directory(int replica) {
    return directories.getOrDefault(replica, DirectoryId.UNASSIGNED);
  }

  private void take(LeaderChoice choice) {
    if (choice.leader() == NOBODY) {
      return;
    }
    leader = choice.leader();
    newEpoch = true;
    lastKnown = List.of();
    if (choice.isUnclean()) {
      isr = List.of(leader);
      elr = List.of(); // theirs is another history from here on
      recovery = LeaderRecoveryState.RECOVERING;
      unclean = true;
    } else if (!isr.contains(leader)) {
      replaceIsr(List.of(leader), List.of());
    }
  }

  private void loseLeader() {
    if (facts.keepsEligible() && hasLeader()) {
      lastKnown = List.of(leader);
    }
    leader = NOBODY;
    newEpoch = true;
  }

  /** KAFKA-15665: all that are to stay must be in sync. */
  private void completeReassignment() {
    if ((adding.isEmpty() && removing.isEmpty()) || !hasLeader()) {
      return;
    }
    List<Integer> targets = without(replicas, removing);
    if (!isr.containsAll(targets)) {
      return;
    }
    if (!targets.contains(leader)) {
      if (targets.stream().noneMatch(this::isActive)) {
        return;
      }
      loseLeader();
      steppedDown = committedLeaderMayServe();
      if (steppedDown) {
        return;
      }
      elect();
      if (!targets.contains(leader)) {
        return;
      }
    }
    newEpoch |= !removing.isEmpty();
    replicas = targets;
    adding = List.of();
    removing = List.of();
    elr = both(elr, targets);
    replaceIsr(both(isr, targets), List.of());
  }

  /** The record that leads from what is committed to here; empty if nothing changed. */
  Optional<PartitionChangeRecord> record(PartitionKey key) {
    PartitionChangeRecord record =
        new PartitionChangeRecord().setTopicId(key.topicId()).setPartitionId(key.partition());
    boolean changed = beginsEpoch();
    if (changed) {
      record.setLeader(leader);
    }
    if (!isr.equals(Replicas.toList(base.isr))) {
      record.setIsr(isr);
      changed = true;
    }
    changed |= diffReplicas(record);
    if (!elr.equals(Replicas.toList(base.elr))) {
      record.setEligibleLeaderReplicas(elr);
      changed = true;
    }
    if (!lastKnown.equals(Replicas.toList(base.lastKnownElr))) {
      record.setLastKnownElr(lastKnown);
      changed = true;
    }
    if (recovery != base.leaderRecoveryState) {
      record.setLeaderRecoveryState(recovery.value());
      changed = true;
    }
    return changed ? Optional.of(record) : Optional.empty();
  }

  private boolean diffReplicas(PartitionChangeRecord record) {
    boolean changed = false;
    if (!replicas.equals(Replicas.toList(base.replicas))) {
      record.setReplicas(replicas);
      changed = true;
    }
    if (!adding.equals(Replicas.toList(base.addingReplicas))) {
      record.setAddingReplicas(adding);
      changed = true;
    }
    if (!removing.equals(Replicas.toList(base.removingReplicas))) {
      record.setRemovingReplicas(removing);
      changed = true;
    }
    List<Uuid> folders = new ArrayList<>();
    for (int replica : replicas) {
      folders.add(directory(replica));
    }
    if (!folders.equals(List.of(base.directories))) {
      record.setDirectories(folders);
      changed = true;
    }
    return changed;
  }

  private static List<Integer> without(List<Integer> some, List<Integer> taken) {
    return some.stream().filter(one -> !taken.contains(one)).toList();
  }

  private static List<Integer> both(List<Integer> some, List<Integer> others) {
    return some.stream().filter(others::contains).toList();
  }
}
