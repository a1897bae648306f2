package dev.tidemark.metadata;

import dev.tidemark.env.Shard;
import java.util.function.BiConsumer;

/** Calls the controller from the data shard, and brings its replies back there. */
public final class ControllerCalls {
  private final Controller controller;
  private final Shard control;
  private final Shard data;

  public ControllerCalls(Controller controller, Shard control, Shard data) {
    this.controller = controller;
    this.control = control;
    this.data = data;
  }

  /**
   * Runs {@code call} with the controller on the control shard; {@code reply} is told on the data
   * shard, after the metadata the call led to was published there.
   */
  public <T> void call(BiConsumer<Controller, Reply<T>> call, Reply<T> reply) {
    control.execute(() -> call.accept(controller, new OnData<>(data, reply)));
  }

  private record OnData<T>(Shard data, Reply<T> reply) implements Reply<T> {
    @Override
    public void succeed(T result) {
      data.execute(() -> reply.succeed(result));
    }

    @Override
    public void fail(Throwable cause) {
      data.execute(() -> reply.fail(cause));
    }
  }
}
