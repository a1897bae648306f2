package dev.tidemark.replica;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** All that follow what happens at one leader; they may come and go while they are told. */
final class LeaderObservers implements LeaderObserver {
  private static final LeaderObserver[] NONE = {};

  /** Replaced as a whole, so that it may change while all are told. */
  private LeaderObserver[] all = NONE;

  void add(LeaderObserver observer) {
    all = Arrays.copyOf(all, all.length + 1);
    all[all.length - 1] = observer;
  }

  int count() {
    return all.length;
  }

  /** Without effect if it is told nothing. */
  void remove(LeaderObserver observer) {
    List<LeaderObserver> left = new ArrayList<>(Arrays.asList(all));
    if (left.remove(observer)) {
      all = left.toArray(NONE);
    }
  }

  @Override
  public void onLogEnd(PartitionLeader partition) {
    for (LeaderObserver observer : all) {
      observer.onLogEnd(partition);
    }
  }

  @Override
  public void onHighWatermark(PartitionLeader partition) {
    for (LeaderObserver observer : all) {
      observer.onHighWatermark(partition);
    }
  }

  @Override
  public void onLowWatermark(PartitionLeader partition) {
    for (LeaderObserver observer : all) {
      observer.onLowWatermark(partition);
    }
  }

  @Override
  public void onLeadershipChanged(PartitionLeader partition) {
    for (LeaderObserver observer : all) {
      observer.onLeadershipChanged(partition);
    }
  }
}
