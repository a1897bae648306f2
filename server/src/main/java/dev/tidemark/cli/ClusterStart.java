package dev.tidemark.cli;

import dev.tidemark.server.BrokerProcess;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletionService;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Starts the nodes of a process: all of them, or none. */
final class ClusterStart {
  private static final long GIVE_UP_MS = 60_000;

  private final List<NodeStart> nodes;
  private final @Nullable EphemeralFolder deletedAtEnd;

  /** By the place in {@code nodes}; null where one has not started. */
  private final List<@Nullable BrokerProcess> started;

  private ClusterStart(List<NodeStart> nodes, @Nullable EphemeralFolder deletedAtEnd) {
    this.nodes = nodes;
    this.deletedAtEnd = deletedAtEnd;
    this.started = new ArrayList<>(Collections.nCopies(nodes.size(), null));
  }

  /**
   * Starts them one after the other, except that of several voters none has started before most
   * have. When one fails, the others are stopped in order.
   *
   * @param voters how many of the first nodes vote
   */
  static List<BrokerProcess> run(
      List<NodeStart> nodes, int voters, @Nullable EphemeralFolder deletedAtEnd)
      throws IOException, InterruptedException {
    ClusterStart start = new ClusterStart(nodes, deletedAtEnd);
    try {
      int together = voters > 1 ? voters : 0;
      start.startTogether(together);
      for (int i = together; i < nodes.size(); i++) {
        start.requireGoingOn();
        start.started.set(i, nodes.get(i).start());
      }
      return start.running();
    } catch (IOException | InterruptedException | RuntimeException e) {
      start.undo(e);
      throw e;
    }
  }

  /**
   * Stops all, the first, which may be the only controller, last, and each whatever becomes of
   * another. All leave the cluster before one stops, since they need most of the controllers for
   * that.
   */
  static void stop(List<BrokerProcess> brokers) throws IOException, InterruptedException {
    try {
      fromTheLast(brokers, BrokerProcess::leave);
    } finally {
      fromTheLast(brokers, BrokerProcess::stop);
    }
  }

  private static void fromTheLast(List<BrokerProcess> brokers, Step step)
      throws IOException, InterruptedException {
    if (!brokers.isEmpty()) {
      int last = brokers.size() - 1;
      try {
        step.run(brokers.get(last));
      } finally {
        fromTheLast(brokers.subList(0, last), step);
      }
    }
  }

  private List<BrokerProcess> running() {
    return started.stream().filter(Objects::nonNull).map(Objects::requireNonNull).toList();
  }

  private void requireGoingOn() throws InterruptedException {
    if (deletedAtEnd != null && deletedAtEnd.isEnding()) {
      throw new InterruptedException();
    }
  }

  /** The first {@code count}. */
  private void startTogether(int count) throws IOException, InterruptedException {
    requireGoingOn();
    if (count == 0) {
      return;
    }
    ExecutorService threads = Executors.newFixedThreadPool(count);
    CompletionService<Void> starts = new ExecutorCompletionService<>(threads);
    for (int i = 0; i < count; i++) {
      int index = i;
      Future<Void> unused = starts.submit(() -> start(index));
    }
    try {
      for (int i = 0; i < count; i++) {
        Void unused = starts.take().get();
      }
    } catch (ExecutionException e) {
      throw failure(e.getCause());
    } finally {
      threads.shutdownNow(); // after a failure the others give up
      boolean unused = threads.awaitTermination(GIVE_UP_MS, TimeUnit.MILLISECONDS);
    }
  }

  private @Nullable Void start(int index) throws IOException, InterruptedException {
    started.set(index, nodes.get(index).start()); // each has a place of its own
    return null;
  }

  private static RuntimeException failure(@Nullable Throwable cause)
      throws IOException, InterruptedException {
    if (cause instanceof IOException failure) {
      throw failure;
    }
    if (cause instanceof InterruptedException failure) {
      throw failure;
    }
    return cause instanceof RuntimeException failure ? failure : new IllegalStateException(cause);
  }

  private void undo(Exception cause) {
    try {
      stop(running());
    } catch (IOException | InterruptedException | RuntimeException alsoFailed) {
      cause.addSuppressed(alsoFailed);
    } finally {
      if (deletedAtEnd != null) {
        deletedAtEnd.delete();
      }
    }
  }

  /** A part of stopping. */
  @FunctionalInterface
  private interface Step {
    void run(BrokerProcess broker) throws IOException, InterruptedException;
  }
}
