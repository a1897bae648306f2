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

/** Looks at a node from outside its shards: each question is an event on the one that serves. */
final class ProcessProbe implements BrokerProbe {
  private static final Duration ANSWER_TIMEOUT = Duration.ofSeconds(5);

  private final Shard serving;
  private final Duration answerTimeout;
  private volatile @Nullable NodeMetrics metrics;
  private volatile List<NettyListener> listeners = List.of();
  private volatile @Nullable String notServing = "the broker starts";
  private volatile @Nullable String fatalFailure;

  ProcessProbe(Shard serving) {
    this(serving, ANSWER_TIMEOUT);
  }

  /**
   * Looks at the node of that shard.
   *
   * @param serving the data shard of a broker; the control shard of a node that is none
   * @param answerTimeout a shard that has not come to an event after so long hangs
   */
  ProcessProbe(Shard serving, Duration answerTimeout) {
    this.serving = serving;
    this.answerTimeout = answerTimeout;
  }

  /** Clients are served from now on. */
  void onServing(NodeMetrics ofBroker, List<NettyListener> served) {
    listeners = List.copyOf(served);
    metrics = ofBroker;
    notServing = null;
  }

  /** Other nodes are served from now on; a node that is no broker has only the process to tell of. */
  void onServingController() {
    notServing = null;
  }

  void onStopping() {
    notServing = "the broker stops";
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
            serving.name() + " has not answered for " + answerTimeout.toMillis() + " ms; it hangs")
        : Optional.empty();
  }

  @Override
  public Optional<String> whyNotReady() throws InterruptedException {
    String why = notServing;
    return why == null ? whyDead() : Optional.of(why);
  }

  @Override
  public boolean collect(MetricVisitor text) throws InterruptedException {
    NodeMetrics ofBroker = metrics;
    if (ofBroker == null) {
      return true; // there is the process to tell of
    }
    Boolean told =
        ask(
            () -> {
              ofBroker.visitNode(text);
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
          ask(() -> Optional.ofNullable(ofBroker.visitTopics(text, from.orElse(null))));
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
    serving.execute(
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
