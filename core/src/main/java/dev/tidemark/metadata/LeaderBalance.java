package dev.tidemark.metadata;

import dev.tidemark.env.Timers;
import java.util.List;
import org.apache.kafka.image.MetadataImage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives partitions back to their preferred replicas from time to time
 * (auto.leader.rebalance.enable). Sets a timer only while there is something to give back.
 */
final class LeaderBalance {
  /** Partitions that move at once; the others follow with the next look. */
  static final int MAX_MOVES = 1_000;

  private static final Logger LOG = LoggerFactory.getLogger(LeaderBalance.class);

  private final DecisionLoop loop;
  private final ElectionContext context;
  private final BrokerControlSettings settings;
  private final Timers timers;
  private boolean isSet;

  LeaderBalance(
      DecisionLoop loop, ElectionContext context, BrokerControlSettings settings, Timers timers) {
    this.loop = loop;
    this.context = context;
    this.settings = settings;
    this.timers = timers;
  }

  void onCommitted() {
    if (settings.autoRebalance() && !isSet && !context.index().notPreferred().isEmpty()) {
      isSet = true;
      timers.schedule(settings.rebalanceIntervalMs(), this::balance);
    }
  }

  private void balance() {
    isSet = false;
    if (loop.isActive()) {
      loop.decide(
          this::decide,
          new Reply<>() {
            @Override
            public void succeed(Integer moves) {
              if (moves > 0) {
                LOG.info("Gave {} partitions back to their preferred replicas", moves);
              }
            }

            @Override
            public void fail(Throwable cause) {
              LOG.warn("Leaders could not be balanced: {}", cause.getMessage());
            }
          });
      onCommitted();
    }
  }

  private Decision<Integer> decide(MetadataImage image) {
    MetadataDraft draft = context.draft(image);
    int moves = 0;
    for (PartitionKey key : List.copyOf(context.index().notPreferred())) {
      if (moves == MAX_MOVES) {
        break;
      }
      if (draft.change(key).electPreferred()) {
        moves++;
      }
    }
    return draft.decision(moves);
  }
}
