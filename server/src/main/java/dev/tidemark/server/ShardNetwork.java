package dev.tidemark.server;

import dev.tidemark.broker.ClientMistakes;
import dev.tidemark.broker.metrics.MetricVisitor;
import io.netty.buffer.ByteBuf;

/**
 * What all listeners of a shard share, so that its bounds hold for all of them together: memory for
 * frames and answers, the number of connections, and the buffer that is read into.
 */
public final class ShardNetwork {
  private final NettyShard shard;
  private final NetworkSettings settings;
  private final ClientMistakes mistakes;
  private final ConnectionLimits connections;
  private final FrameMemory memory;
  private final UnsentAnswers unsent;
  private final ByteBuf scratch;

  /** The network of {@code shard}, with nothing in it yet. */
  public ShardNetwork(NettyShard shard, NetworkSettings settings) {
    this(
        shard,
        settings,
        new FrameMemory(settings.maxQueuedBytes(), shard, shard.frames()),
        new UnsentAnswers(UnsentAnswers.DEFAULT_MAX_BYTES));
  }

  ShardNetwork(
      NettyShard shard, NetworkSettings settings, FrameMemory memory, UnsentAnswers unsent) {
    this.shard = shard;
    this.settings = settings;
    this.mistakes = new ClientMistakes(shard.clock(), shard.timers());
    this.connections =
        new ConnectionLimits(
            settings.maxConnections(),
            settings.maxConnectionsPerIp(),
            settings.maxConnectionsPerIpOverrides());
    this.memory = memory;
    this.unsent = unsent;
    this.scratch =
        memory.allocator().directBuffer(FrameReader.SCRATCH_BYTES, FrameReader.SCRATCH_BYTES);
  }

  /** Tells how much memory the clients take; on the shard. */
  void visit(MetricVisitor visitor) {
    visitor.gauge("tidemark_network_frame_memory_bytes", "", memory.usedBytes());
    visitor.gauge("tidemark_network_unsent_answer_bytes", "", unsent.bytes());
  }

  /** The end of use, once all listeners are closed; callable anywhere. */
  public void close() {
    shard.execute(scratch::release);
  }

  NettyShard shard() {
    return shard;
  }

  NetworkSettings settings() {
    return settings;
  }

  ClientMistakes mistakes() {
    return mistakes;
  }

  ConnectionLimits connections() {
    return connections;
  }

  FrameMemory memory() {
    return memory;
  }

  UnsentAnswers unsent() {
    return unsent;
  }

  ByteBuf scratch() {
    return scratch;
  }
}
