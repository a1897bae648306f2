package dev.tidemark.server;

import dev.tidemark.broker.NodeMetrics;
import dev.tidemark.broker.metrics.MetricVisitor;
import dev.tidemark.env.Shard;
import dev.tidemark.server.http.BrokerProbe;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Looks at a broker from outside its shards: each question is an event on the data shard. */
final class ProcessProbe implements BrokerProbe {
  private static final Duration ANSWER_TIMEOUT = Duration.ofSeconds(5);

  private final Shard data;
  private final Duration answerTimeout;
  private volatile @Nullable NodeMetrics metrics;
  private volatile List<NettyListener> listeners = List.of();
  private volatile String phase = "the broker starts";
  private volatile @Nullable String fatalFailure;

  ProcessProbe(Shard data) {
    this(data, ANSWER_TIMEOUT);
  }

  /**
   * Looks at the broker of that shard.
   *
   * @param answerTimeout a shard that has not come to an event after so long hangs
   */
  ProcessProbe(Shard data, Duration answerTimeout) {
    this.data = data;
    this.answerTimeout = answerTimeout;
  }

  /** Clients are served from now on. */
  void onServing(NodeMetrics serving, List<NettyListener> served) {
    listeners = List.copyOf(served);
    metrics = serving;
  }

  void onStopping() {
    phase = "the broker stops";
    metrics = null;
  }

  void onFatalFailure(String why) {
    fatalFailure = why;
  }

  @Override
  public Optional<String> whyDead() throws InterruptedException {
    String failure = fatalFailure;
    if (failure != null) {
      return Optional.of(failure);
    }
    return ask(() -> true) == null
        ? Optional.of(
            data.name() + " has not answered for " + answerTimeout.toMillis() + " ms; it hangs")
        : Optional.empty();
  }

  @Override
  public Optional<String> whyNotReady() throws InterruptedException {
    return metrics == null ? Optional.of(phase) : whyDead();
  }

  @Override
  public boolean collect(MetricVisitor text) throws InterruptedException {
    NodeMetrics serving = metrics;
    if (serving == null) {
      return true; // there is the process to tell of
    }
    Boolean told =
        ask(
            () -> {
              serving.visitNode(text);
              listeners.forEach(listener -> listener.visit(text));
              listeners.stream()
                  .map(NettyListener::network)
                  .distinct()
                  .forEach(network -> network.visit(text));
              return true;
            });
    Optional<String> after = Optional.empty();
    while (told != null) {
      Optional<String> from = after;
      Optional<String> next =
          ask(() -> Optional.ofNullable(serving.visitTopics(text, from.orElse(null))));
      if (next == null) {
        return false;
      }
      if (next.isEmpty()) {
        return true;
      }
      after = next;
    }
    return false;
  }

  /** What {@code question} gives on the shard, or null when it does not come to it. */
  private <T> @Nullable T ask(Supplier<T> question) throws InterruptedException {
    CompletableFuture<T> answer = new CompletableFuture<>();
    data.execute(
        () -> {
          try {
            answer.complete(question.get());
          } catch (RuntimeException e) {
            answer.completeExceptionally(e);
          }
        });
    try {
      return answer.get(answerTimeout.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      return null;
    } catch (ExecutionException e) {
      throw new IllegalStateException("the broker's metrics cannot be collected", e.getCause());
    }
  }
}
