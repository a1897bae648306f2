package dev.tidemark.metadata;

import dev.tidemark.env.Shard;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.apache.kafka.common.errors.KafkaStorageException;

/** Calls the controller from the data shard, and brings its replies back there. */
public final class ControllerCalls {
  private final Controller controller;
  private final Shard control;
  private final Shard data;
  private Runnable whenStorageFails = () -> {};

  public ControllerCalls(Controller controller, Shard control, Shard data) {
    this.controller = controller;
    this.control = control;
    this.data = data;
  }

  /** {@code action} runs on the data shard when the controller could not write its log. */
  public void onStorageFailure(Runnable action) {
    whenStorageFails = action;
  }

  /**
   * Runs {@code call} with the controller on the control shard; {@code reply} is told on the data
   * shard, after the metadata the call led to was published there.
   */
  public <T> void call(BiConsumer<Controller, Reply<T>> call, Reply<T> reply) {
    control.execute(() -> call.accept(controller, new OnData<>(reply)));
  }

  /** Tells the controller something that has no answer. */
  public void tell(Consumer<Controller> news) {
    control.execute(() -> news.accept(controller));
  }

  private final class OnData<T> implements Reply<T> {
    private final Reply<T> reply;

    OnData(Reply<T> reply) {
      this.reply = reply;
    }

    @Override
    public void succeed(T result) {
      data.execute(() -> reply.succeed(result));
    }

    @Override
    public void fail(Throwable cause) {
      data.execute(
          () -> {
            if (cause instanceof KafkaStorageException) {
              whenStorageFails.run();
            }
            reply.fail(cause);
          });
    }
  }
}
