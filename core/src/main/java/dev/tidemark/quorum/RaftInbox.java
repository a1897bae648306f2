package dev.tidemark.quorum;

import java.util.ArrayDeque;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.kafka.raft.RaftMessage;
import org.apache.kafka.raft.RaftMessageQueue;

/**
 * The messages that raft is yet to look at. A poll takes one of them and never waits: it leaves
 * behind how long it would have, and whoever drives raft polls again by then. Bounded by what sends
 * into it: one request of each connection at a time, and one answer of each node.
 */
final class RaftInbox implements RaftMessageQueue {
  private final ArrayDeque<Entry> entries = new ArrayDeque<>();
  private final Runnable onNews;
  private boolean woken;
  private boolean tookOne;
  private long waitMs;

  /** A message, and the future of what answers it. */
  private record Entry(RaftMessage message, CompletableFuture<RaftMessage> future)
      implements QueueEntry {}

  /**
   * @param onNews told when another poll has something to do
   */
  RaftInbox(Runnable onNews) {
    this.onNews = onNews;
  }

  @Override
  public Optional<QueueEntry> poll(long timeoutMs) {
    waitMs = timeoutMs;
    Entry first = entries.poll();
    tookOne = first != null;
    return Optional.ofNullable(first);
  }

  /** To be called before each poll of raft. */
  void onPoll() {
    woken = false;
  }

  /** True when there is something for another poll. */
  boolean hasNews() {
    return woken || tookOne || !entries.isEmpty();
  }

  /** How long raft has nothing to do if no message comes; 0 when it wants to be polled again. */
  long waitMs() {
    return waitMs;
  }

  @Override
  public CompletionStage<RaftMessage> add(RaftMessage message) {
    Entry entry = new Entry(message, new CompletableFuture<>());
    entries.add(entry);
    onNews.run();
    return entry.future();
  }

  @Override
  public boolean isEmpty() {
    return entries.isEmpty();
  }

  @Override
  public void wakeup() {
    woken = true;
    onNews.run();
  }
}
