package dev.tidemark.metadata;

import java.util.List;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.NotControllerException;
import org.apache.kafka.common.message.BrokerHeartbeatRequestData;
import org.apache.kafka.common.message.BrokerHeartbeatResponseData;
import org.apache.kafka.common.message.BrokerRegistrationRequestData;
import org.apache.kafka.image.MetadataImage;
import org.apache.kafka.image.TopicImage;
import org.apache.kafka.metadata.PartitionRegistration;
import org.jspecify.annotations.Nullable;

/**
 * A broker as the controller's promises to it are written: it applies metadata when it likes, and
 * leads what that says under a lease that it counts from when it sent a heartbeat.
 */
final class ModelBroker {
  private static final long MARGIN_MS = 500;
  private static final long NEVER = Long.MIN_VALUE / 2;

  final int id;
  private final ControlledCluster cluster;
  private final List<MetadataImage> images;
  private int applied;
  private boolean isRunning;
  private boolean isFrozen;
  private boolean stoppedCleanly;
  private boolean wantsShutDown;
  private long epoch = -1;
  private long leaseFromMs = NEVER;
  private int run;

  /** {@code images} holds all that was ever published, in order. */
  ModelBroker(int id, ControlledCluster cluster, List<MetadataImage> images) {
    this.id = id;
    this.cluster = cluster;
    this.images = images;
  }

  /** It lost records, and the controller has not heard of that yet. */
  boolean isSecretlyEmptied() {
    return !isRunning && !stoppedCleanly;
  }

  boolean isRunning() {
    return isRunning;
  }

  boolean isReachable() {
    return isRunning && !isFrozen;
  }

  long epoch() {
    return epoch;
  }

  /** The metadata as this broker knows them. */
  MetadataImage image() {
    return images.get(applied);
  }

  void start() {
    isRunning = true;
    isFrozen = false;
    wantsShutDown = false;
    run++;
    leaseFromMs = NEVER;
    applied = images.size() - 1;
    BrokerRegistrationRequestData request = cluster.registration(id);
    request.setIncarnationId(new Uuid(id, 1_000 + run));
    request.setPreviousBrokerEpoch(stoppedCleanly ? epoch : -1);
    Answer<Long> answer = cluster.register(request);
    if (answer.result == null) {
      isRunning = false; // it would try again
    } else {
      epoch = answer.result;
    }
  }

  /** The process ends; all it wrote is in the kernel's memory still. */
  void die() {
    isRunning = false;
    leaseFromMs = NEVER;
    stoppedCleanly = true;
  }

  /** The machine ends, too. */
  void losePower() {
    die();
    stoppedCleanly = false;
  }

  void freeze() {
    isFrozen = true;
  }

  void thaw() {
    isFrozen = false;
  }

  /** Applies some more of the metadata, at most all. */
  void apply(int batches) {
    applied = Math.min(images.size() - 1, applied + batches);
  }

  void beginShutdown() {
    wantsShutDown = true;
  }

  /** {@code wantFence}: it gives up what it leads. */
  void heartbeat(boolean wantFence) {
    long sentMs = cluster.control.monotonicMs();
    if (wantFence) {
      leaseFromMs = NEVER;
    }
    BrokerHeartbeatRequestData request =
        new BrokerHeartbeatRequestData()
            .setBrokerId(id)
            .setBrokerEpoch(epoch)
            .setCurrentMetadataOffset(image().provenance().lastContainedOffset())
            .setWantFence(wantFence)
            .setWantShutDown(wantsShutDown);
    int sentBy = run;
    cluster.controller.heartbeat(
        request,
        new Reply<>() {
          @Override
          public void succeed(BrokerHeartbeatResponseData answer) {
            if (sentBy == run && isRunning) {
              onAnswer(answer, wantFence ? NEVER : sentMs);
            }
          }

          @Override
          public void fail(Throwable cause) {
            if (sentBy == run && !(cause instanceof NotControllerException)) {
              leaseFromMs = NEVER;
            }
          }
        });
    cluster.data.runAll();
  }

  private void onAnswer(BrokerHeartbeatResponseData answer, long sentMs) {
    if (answer.shouldShutDown()) {
      die();
    } else if (answer.isFenced()) {
      leaseFromMs = NEVER;
    } else {
      leaseFromMs = Math.max(leaseFromMs, sentMs);
    }
  }

  boolean hasLease() {
    return cluster.control.monotonicMs() - leaseFromMs < ControlledCluster.SESSION_MS - MARGIN_MS;
  }

  /** Whether it answers as the leader of a partition now. */
  boolean serves(PartitionKey key) {
    PartitionRegistration state = state(key);
    return isReachable() && hasLease() && state != null && state.leader == id;
  }

  @Nullable PartitionRegistration state(PartitionKey key) {
    TopicImage topic = image().topics().getTopic(key.topicId());
    return topic == null ? null : topic.partitions().get(key.partition());
  }
}
