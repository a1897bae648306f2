package dev.tidemark.broker.replication;

import dev.tidemark.env.Timers;
import dev.tidemark.log.LogId;
import dev.tidemark.replica.ElectionLoss;
import dev.tidemark.replica.PartitionFollower;
import dev.tidemark.replica.RoleListener;
import dev.tidemark.replica.fetch.FollowerFetcher;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.function.IntFunction;

/**
 * One fetcher for each broker that leads partitions which this one follows; it begins with the
 * first of them and ends with the last. Whoever changes its leader does so at the end of the event,
 * so that what one piece of metadata changes goes out in one fetch. Owned by the data shard.
 */
final class FollowerFetchers implements RoleListener {
  private static final int NOBODY = -1;

  private final Timers timers;
  private final IntFunction<FollowerFetcher> newFetcher;
  private final BiConsumer<LogId, ElectionLoss> elections;
  private final Map<Integer, FollowerFetcher> byLeader = new TreeMap<>();
  private final Map<PartitionFollower, Integer> leaders = new HashMap<>();
  private Set<PartitionFollower> moving = new LinkedHashSet<>();
  private boolean stopped;

  /** {@code elections} hears of what was followed and is led now. */
  FollowerFetchers(
      Timers timers,
      IntFunction<FollowerFetcher> newFetcher,
      BiConsumer<LogId, ElectionLoss> elections) {
    this.timers = timers;
    this.newFetcher = newFetcher;
    this.elections = elections;
  }

  @Override
  public void onFollowing(PartitionFollower follower) {
    if (stopped || leaders.getOrDefault(follower, NOBODY) == follower.leaderId()) {
      return;
    }
    if (moving.isEmpty()) {
      timers.schedule(0, this::move);
    }
    moving.add(follower);
  }

  @Override
  public void onFollowingEnded(PartitionFollower follower) {
    moving.remove(follower);
    leave(follower);
    endIdle();
  }

  @Override
  public void onElected(LogId partition, ElectionLoss loss) {
    elections.accept(partition, loss);
  }

  private void move() {
    Set<PartitionFollower> all = moving;
    moving = new LinkedHashSet<>();
    if (stopped) {
      return;
    }
    Map<Integer, List<PartitionFollower>> joining = new TreeMap<>();
    for (PartitionFollower follower : all) {
      int leader = follower.leaderId();
      if (leaders.getOrDefault(follower, NOBODY) == leader) {
        continue; // it has come back to where it was
      }
      leave(follower);
      if (leader != NOBODY) {
        leaders.put(follower, leader);
        joining.computeIfAbsent(leader, id -> new ArrayList<>()).add(follower);
      }
    }
    joining.forEach(
        (leader, some) -> byLeader.computeIfAbsent(leader, newFetcher::apply).add(some));
    endIdle();
  }

  private void leave(PartitionFollower follower) {
    Integer leader = leaders.remove(follower);
    FollowerFetcher fetcher = leader == null ? null : byLeader.get(leader);
    if (fetcher != null) {
      fetcher.remove(follower);
    }
  }

  private void endIdle() {
    byLeader
        .values()
        .removeIf(
            fetcher -> {
              if (fetcher.isEmpty()) {
                fetcher.stop();
              }
              return fetcher.isEmpty();
            });
  }

  /** How many brokers are fetched from. */
  int size() {
    return byLeader.size();
  }

  void stop() {
    stopped = true;
    byLeader.values().forEach(FollowerFetcher::stop);
    byLeader.clear();
    leaders.clear();
    moving.clear();
  }
}
