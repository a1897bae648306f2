package dev.tidemark.server;

import dev.tidemark.env.Background;
import dev.tidemark.env.Clock;
import dev.tidemark.env.Randomness;
import dev.tidemark.env.Shard;
import dev.tidemark.env.Timers;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.IoEventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;

/**
 * A shard that is a Netty event loop, so that the connections it owns are read, served and written
 * on its own thread.
 */
public final class NettyShard implements Shard {
  private static final int STOP_TIMEOUT_SECONDS = 15;

  private final String name;
  private final NettyIo io;
  private final MultiThreadIoEventLoopGroup group;
  private final IoEventLoop loop;
  private final Timers timers;
  private final Background background;
  private final Randomness randomness;
  private final ByteBufAllocator frames = FrameMemory.pooled();
  private final BiConsumer<String, Throwable> onFailure;

  /**
   * Makes a shard; its thread starts with its first event.
   *
   * @param onFailure hears the shard's name and what an event threw; called on the shard
   */
  public NettyShard(
      String name,
      NettyIo io,
      BackgroundPool pool,
      Randomness randomness,
      BiConsumer<String, Throwable> onFailure) {
    this.name = name;
    this.io = io;
    this.group = new MultiThreadIoEventLoopGroup(1, new ShardThreadFactory(name), io.handlers());
    this.loop = group.next();
    this.timers = new LoopTimers();
    this.background = new ShardBackground(this, pool);
    this.randomness = randomness;
    this.onFailure = onFailure;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public void execute(Runnable event) {
    loop.execute(() -> run(event));
  }

  private void run(Runnable event) {
    try {
      event.run();
    } catch (Throwable t) { // the loop would log it and go on; the owner decides instead
      onFailure.accept(name, t);
    }
  }

  /** Where the frames of all its connections get their memory from; used on the shard only. */
  ByteBufAllocator frames() {
    return frames;
  }

  @Override
  public boolean isCurrent() {
    return loop.inEventLoop();
  }

  @Override
  public Clock clock() {
    return SystemClock.INSTANCE;
  }

  @Override
  public Timers timers() {
    return timers;
  }

  @Override
  public Background background() {
    return background;
  }

  @Override
  public Randomness randomness() {
    return randomness;
  }

  NettyIo io() {
    return io;
  }

  IoEventLoop loop() {
    return loop;
  }

  /** Runs the events queued so far, ends the thread and waits for it. Not callable on the shard. */
  public void stop() throws InterruptedException {
    Future<?> stopped = group.shutdownGracefully(0, 5, TimeUnit.SECONDS);
    if (!stopped.await(STOP_TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
      onFailure.accept(name, new IllegalStateException("an event does not end; stopping anyway"));
    }
  }

  private final class LoopTimers implements Timers {
    @Override
    public Timer schedule(long delayMs, Runnable task) {
      Future<?> scheduled = loop.schedule(() -> run(task), delayMs, TimeUnit.MILLISECONDS);
      return () -> scheduled.cancel(false);
    }
  }

  /** Names the one thread like its shard. */
  private static final class ShardThreadFactory extends DefaultThreadFactory {
    private final String name;

    ShardThreadFactory(String name) {
      super(name, false);
      this.name = name;
    }

    @Override
    protected Thread newThread(Runnable work, String unused) {
      return super.newThread(work, name);
    }
  }
}
