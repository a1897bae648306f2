package dev.tidemark.metadata;

import dev.tidemark.quorum.Leadership;
import dev.tidemark.quorum.MetadataBatch;
import dev.tidemark.quorum.MetadataLog;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Function;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.KafkaStorageException;
import org.apache.kafka.common.errors.NotControllerException;
import org.apache.kafka.common.errors.ThrottlingQuotaExceededException;
import org.apache.kafka.common.metadata.RegisterBrokerRecord;
import org.apache.kafka.common.metadata.RemoveTopicRecord;
import org.apache.kafka.image.MetadataDelta;
import org.apache.kafka.image.MetadataImage;
import org.apache.kafka.image.MetadataProvenance;
import org.apache.kafka.image.writer.ImageWriterOptions;
import org.apache.kafka.server.common.ApiMessageAndVersion;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes one decision after the other, each from the image of all that is committed. One batch is in
 * flight at a time; what is asked meanwhile waits. Owned by the control shard.
 */
final class DecisionLoop {
  private static final Logger LOG = LoggerFactory.getLogger(DecisionLoop.class);

  /** Calls that wait for the batch in flight. */
  static final int MAX_WAITING = 10_000;

  /** Hears of the batches, on the control shard. */
  interface Listener {
    /** A batch is about to be handed to the log. */
    void onAppend();

    /** A batch has committed; called before its decision is answered. */
    void onCommitted(MetadataDelta delta, MetadataImage image);

    /** The batch that was appended last failed, or it is not known whether it is there. */
    void onAppendFailed();

    /** What the log held at the start was told by one {@link #onCommitted}. */
    void onReplayed();

    /** This node decides from now on, from all that is committed. */
    void onActive();

    /** Another node decides from now on. */
    void onResigned();

    /** Another active controller is known, or none; after the other calls. */
    default void onLeadership(Leadership now) {}

    /**
     * The log tells what it held at the start only now that it knows what of it is committed. When
     * all of that is told, {@link DecisionLoop#endReplay} is to be called, in a later event.
     */
    default void onLateReplay() {}
  }

  private final MetadataLog log;
  private final Listener listener;
  private final ArrayDeque<Runnable> waiting = new ArrayDeque<>();
  private MetadataImage image = MetadataImage.EMPTY;
  private @Nullable MetadataDelta replayed = delta(MetadataImage.EMPTY);
  private MetadataProvenance replayedTo = MetadataProvenance.EMPTY;
  private final Set<Uuid> deletedBefore = new HashSet<>();
  private boolean inFlight;
  private boolean isRunningWaiting;
  private Leadership leadership = Leadership.UNKNOWN;
  private int activeEpoch;
  private boolean isActive;
  private boolean isStarted;
  private boolean isReplayEnding;

  DecisionLoop(MetadataLog log, Listener listener) {
    this.log = log;
    this.listener = listener;
  }

  /** The metadata as of the last committed batch. */
  MetadataImage image() {
    return image;
  }

  /**
   * Takes part in the quorum. What the log holds already is replayed as one change: before this
   * returns by a log with one voter, which makes this node active then, and by others as soon as
   * they know what of it is committed.
   */
  void start() throws IOException {
    if (isStarted) {
      throw new IllegalStateException("The controller was started before");
    }
    log.start(new FromLog());
    isStarted = true;
    if (leadership.isActive() || log.tellsAllAtStart()) {
      endReplay();
    }
  }

  /** All that the log held at the start was told; without effect when it was known before. */
  void endReplay() {
    MetadataDelta delta = replayed;
    if (delta == null) {
      return;
    }
    replayed = null;
    publish(delta, replayedTo);
    listener.onReplayed();
    applyLeadership();
  }

  private void endReplayLater() {
    if (isStarted && !isReplayEnding) {
      isReplayEnding = true;
      listener.onLateReplay();
    }
  }

  /** The topics whose deletion stands in the log as it was replayed; not changed after that. */
  Set<Uuid> deletedBefore() {
    return deletedBefore;
  }

  /** Follows what the log said last of who decides. */
  private void applyLeadership() {
    boolean wasActive = isActive;
    isActive = leadership.isActive();
    if (wasActive && (!isActive || leadership.epoch() != activeEpoch)) {
      isActive = false;
      runWaiting(); // what waits fails
      listener.onResigned();
      isActive = leadership.isActive();
      wasActive = false;
    }
    if (isActive && !wasActive) {
      activeEpoch = leadership.epoch();
      listener.onActive();
    }
  }

  boolean isActive() {
    return isActive;
  }

  static NotControllerException notActive() {
    return new NotControllerException("This node is not the active controller");
  }

  /** Decides now, or when what was asked before is done. */
  <T> void decide(Function<MetadataImage, Decision<T>> decider, Reply<T> reply) {
    if (!inFlight) {
      decideNow(decider, reply);
    } else if (waiting.size() < MAX_WAITING) {
      waiting.add(() -> decideNow(decider, reply));
    } else {
      reply.fail(
          new ThrottlingQuotaExceededException(
              "The controller has " + MAX_WAITING + " calls waiting; try again"));
    }
  }

  private <T> void decideNow(Function<MetadataImage, Decision<T>> decider, Reply<T> reply) {
    if (!isActive) {
      reply.fail(notActive());
      return;
    }
    Decision<T> decision;
    try {
      decision = decider.apply(image);
    } catch (Refusal e) {
      reply.fail(e.toApiException());
      return;
    } catch (RuntimeException e) {
      reply.fail(e);
      return;
    }
    if (decision.records().isEmpty()) {
      end(decision, reply);
      return;
    }
    inFlight = true;
    listener.onAppend();
    log.append(decision.records(), new Commit<>(decision, reply));
  }

  private <T> void end(Decision<T> decision, Reply<T> reply) {
    Function<MetadataImage, Decision<T>> next = decision.next();
    T response = decision.response();
    if (next != null) {
      decideNow(next, reply);
    } else if (response != null) {
      reply.succeed(response);
    } else {
      reply.fail(new IllegalStateException("A decision had no answer"));
    }
  }

  /** A batch that ends at once does not nest the next one in it. */
  private void runWaiting() {
    if (isRunningWaiting) {
      return;
    }
    isRunningWaiting = true;
    try {
      while (!inFlight && !waiting.isEmpty()) {
        waiting.remove().run();
      }
    } finally {
      isRunningWaiting = false;
    }
  }

  /** Sums the log up; the image is that of its end, as nothing is in flight. */
  private void takeSnapshotIfDue() {
    if (inFlight || !log.isSnapshotDue()) {
      return;
    }
    MetadataImage now = image;
    try {
      log.takeSnapshot(to -> now.write(to, new ImageWriterOptions.Builder(now).build()));
    } catch (IOException | RuntimeException e) {
      LOG.error("The metadata log cannot be summed up and goes on growing: {}", e.getMessage(), e);
    }
  }

  /** What the log tells. */
  private final class FromLog implements MetadataLog.Listener {
    @Override
    public void onCommit(MetadataBatch batch) {
      MetadataDelta starting = replayed;
      MetadataDelta delta = starting == null ? delta(image) : starting;
      MetadataReplay.replay(delta, batch.records());
      if (starting == null) {
        MetadataLines.tell(batch.records(), image);
        publish(delta, provenance(batch));
        takeSnapshotIfDue();
      } else {
        noteDeletions(batch);
        replayedTo = provenance(batch);
        endReplayLater();
      }
    }

    private void noteDeletions(MetadataBatch batch) {
      for (ApiMessageAndVersion record : batch.records()) {
        if (record.message() instanceof RemoveTopicRecord removal) {
          deletedBefore.add(removal.topicId());
        }
      }
    }

    /** In place of all that is known. */
    @Override
    public void onSnapshot(MetadataBatch everything) {
      MetadataDelta delta = replayed == null ? delta(image) : delta(MetadataImage.EMPTY);
      MetadataReplay.replay(delta, everything.records());
      delta.finishSnapshot();
      if (replayed == null) {
        publish(delta, provenance(everything));
      } else {
        replayed = delta;
        replayedTo = provenance(everything);
        endReplayLater();
      }
    }

    @Override
    public void onLeaderChange(Leadership now) {
      leadership = now;
      if (replayed != null && isStarted && now.isActive()) {
        endReplay(); // an active node was told all that is committed
      } else if (replayed == null) {
        applyLeadership();
      }
      listener.onLeadership(now);
    }

    private MetadataProvenance provenance(MetadataBatch batch) {
      return new MetadataProvenance(batch.lastOffset(), batch.epoch(), batch.appendTimeMs(), true);
    }
  }

  private void publish(MetadataDelta delta, MetadataProvenance provenance) {
    image = delta.apply(provenance);
    listener.onCommitted(delta, image);
  }

  private static MetadataDelta delta(MetadataImage from) {
    return new MetadataDelta.Builder().setImage(from).build();
  }

  /** The end of the batch in flight. */
  private final class Commit<T> implements MetadataLog.Completion {
    private final Decision<T> decision;
    private final Reply<T> reply;

    Commit(Decision<T> decision, Reply<T> reply) {
      this.decision = decision;
      this.reply = reply;
    }

    @Override
    public void onCommitted(long lastOffset) {
      inFlight = false;
      checkBrokerEpoch(lastOffset - decision.records().size() + 1);
      end(decision, reply);
      runWaiting();
      takeSnapshotIfDue();
    }

    /** Broker epochs are offsets, or two runs could have the same. */
    private void checkBrokerEpoch(long firstOffset) {
      if (decision.records().get(0).message() instanceof RegisterBrokerRecord broker
          && broker.brokerEpoch() != firstOffset) {
        LOG.error(
            "Broker {} was registered with epoch {}, but its record has offset {}",
            broker.brokerId(),
            broker.brokerEpoch(),
            firstOffset);
      }
    }

    @Override
    public void onFailed(Throwable cause) {
      inFlight = false;
      listener.onAppendFailed();
      if (cause instanceof NotControllerException) {
        reply.fail(cause);
      } else {
        LOG.error("Metadata could not be written: {}", cause.getMessage());
        reply.fail(
            new KafkaStorageException(
                "The controller could not write its log, nothing was changed: "
                    + cause.getMessage(),
                cause));
      }
      runWaiting();
    }
  }
}
