package dev.tidemark.metadata;

import dev.tidemark.env.Clock;
import dev.tidemark.env.Timers;
import java.util.List;
import java.util.function.Function;
import org.apache.kafka.common.metadata.NoOpRecord;
import org.apache.kafka.image.MetadataImage;
import org.apache.kafka.server.common.ApiMessageAndVersion;
import org.jspecify.annotations.Nullable;

/**
 * Appends a record for the heartbeats that wait for one, unless another record serves them before.
 * It serves all that wait by then: whoever may wait for long goes with the first that may not.
 */
final class AckRecords {
  private final DecisionLoop loop;
  private final HeartbeatAcks acks;
  private final Clock clock;
  private final Timers timers;
  private Timers.@Nullable Timer timer;
  private long dueMs = Long.MAX_VALUE;

  AckRecords(DecisionLoop loop, HeartbeatAcks acks, Clock clock, Timers timers) {
    this.loop = loop;
    this.acks = acks;
    this.clock = clock;
    this.timers = timers;
  }

  /** Those that wait then have a record appended after {@code delayMs} at the latest. */
  void within(long delayMs) {
    long atMs = clock.monotonicMs() + delayMs;
    if (atMs >= dueMs) {
      return;
    }
    if (timer != null) {
      timer.cancel();
    }
    dueMs = atMs;
    timer = timers.schedule(delayMs, this::append);
  }

  private void append() {
    timer = null;
    dueMs = Long.MAX_VALUE;
    Function<MetadataImage, Decision<Boolean>> noOp =
        image ->
            acks.needsRecord()
                ? new Decision<>(
                    List.of(new ApiMessageAndVersion(new NoOpRecord(), (short) 0)), true)
                : Decision.of(true);
    if (acks.needsRecord()) {
      loop.decide(noOp, new BrokerLifecycle.Logged<>());
    }
  }
}
