package dev.tidemark.server;

import dev.tidemark.broker.Broker;
import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Waits on a thread outside the shards for a broker's start or stop. */
final class BrokerOutcome implements Broker.Outcome {
  private final CountDownLatch ended = new CountDownLatch(1);
  private volatile @Nullable Throwable failure;

  private BrokerOutcome() {}

  /**
   * Runs {@code action} and returns when it is done; throws what it failed with.
   *
   * @param what the action, for the message when it takes longer than {@code timeoutMs}
   */
  static void await(String what, long timeoutMs, Consumer<Broker.Outcome> action)
      throws IOException, InterruptedException {
    BrokerOutcome outcome = new BrokerOutcome();
    action.accept(outcome);
    if (!outcome.ended.await(timeoutMs, TimeUnit.MILLISECONDS)) {
      throw new IOException("the " + what + " was not done within " + timeoutMs + " ms");
    }
    Throwable failure = outcome.failure;
    if (failure instanceof IOException exception) {
      throw exception;
    }
    if (failure instanceof RuntimeException exception) {
      throw exception;
    }
    if (failure != null) {
      throw new IllegalStateException(failure);
    }
  }

  @Override
  public void onDone() {
    ended.countDown();
  }

  @Override
  public void onFailed(Throwable cause) {
    failure = cause;
    ended.countDown();
  }
}
