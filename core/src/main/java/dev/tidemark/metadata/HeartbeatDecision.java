package dev.tidemark.metadata;

import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.BrokerHeartbeatRequestData;
import org.apache.kafka.common.message.BrokerHeartbeatResponseData;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.image.MetadataImage;
import org.apache.kafka.metadata.BrokerRegistration;
import org.apache.kafka.server.common.ApiMessageAndVersion;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a heartbeat (KIP-631) makes of its broker: unfenced once it has applied its own
 * registration, and what was taken from it when it was fenced last; fenced when it asks for it, and
 * led to its stop: first it leaves all ISRs and its leaderships move, then, once all others know
 * the new leaders, it is told to stop.
 */
final class HeartbeatDecision {
  private static final Logger LOG = LoggerFactory.getLogger(HeartbeatDecision.class);

  private final ElectionContext context;
  private final BrokerHeartbeatRequestData request;
  private final long arrivedMs;

  /** {@code arrivedMs} is of the monotonic clock. */
  HeartbeatDecision(ElectionContext context, BrokerHeartbeatRequestData request, long arrivedMs) {
    this.context = context;
    this.request = request;
    this.arrivedMs = arrivedMs;
  }

  /** The registration the heartbeat belongs to; throws {@link Refusal} if it is not the current. */
  static BrokerRegistration registration(MetadataImage image, int brokerId, long brokerEpoch) {
    BrokerRegistration broker = image.cluster().broker(brokerId);
    if (broker == null) {
      throw new Refusal(
          Errors.BROKER_ID_NOT_REGISTERED, "Broker %d is not registered.".formatted(brokerId));
    }
    if (broker.epoch() != brokerEpoch) {
      throw new Refusal(
          Errors.STALE_BROKER_EPOCH,
          "Broker %d has epoch %d, not %d: another run of it has registered."
              .formatted(brokerId, broker.epoch(), brokerEpoch));
    }
    return broker;
  }

  /** The same for requests that know only one error: STALE_BROKER_EPOCH. */
  static BrokerRegistration currentRun(MetadataImage image, int brokerId, long brokerEpoch) {
    BrokerRegistration broker = image.cluster().broker(brokerId);
    if (broker == null || broker.epoch() != brokerEpoch) {
      throw new Refusal(
          Errors.STALE_BROKER_EPOCH,
          "Broker %d asked with epoch %d, but %s."
              .formatted(
                  brokerId,
                  brokerEpoch,
                  broker == null ? "is not registered" : "has epoch " + broker.epoch()));
    }
    return broker;
  }

  /** The answer tells whether there were records. */
  Decision<Boolean> decide(MetadataImage image) {
    BrokerRegistration broker = registration(image, request.brokerId(), request.brokerEpoch());
    MetadataDraft draft = context.draft(image);
    context.handovers().onAcknowledged(broker.id(), request.currentMetadataOffset());
    if (!loseDirectories(draft, broker)) {
      return Decision.first(draft.records(), this::decide);
    }
    BrokerRegistration known = draft.registered(broker.id());
    if (known.fenced()) {
      wake(draft, known);
    } else if (!proceed(draft, known)) {
      return Decision.first(draft.records(), this::decide);
    }
    if (draft.registered(broker.id()).fenced()) {
      return recorded(draft);
    }
    context.liveness().onGrant(broker.id(), arrivedMs);
    return broker.fenced() ? electRest(draft) : recorded(draft);
  }

  private static Decision<Boolean> recorded(MetadataDraft draft) {
    List<ApiMessageAndVersion> records = draft.records();
    return new Decision<>(records, !records.isEmpty());
  }

  private Decision<Boolean> electRest(MetadataDraft draft) {
    boolean done = BrokerTransitions.electOn(draft, request.brokerId());
    return done
        ? new Decision<>(draft.records(), true)
        : Decision.first(draft.records(), later -> electRest(context.draft(later)));
  }

  /** A fenced broker. */
  private void wake(MetadataDraft draft, BrokerRegistration broker) {
    if (!request.wantFence()
        && !request.wantShutDown()
        && !remainingDirectories(broker).isEmpty()
        && !context.handovers().isWaitedFor(broker.id()) // it may still think that it leads
        && isCaughtUp(broker, request)
        && request.currentMetadataOffset() >= context.liveness().neededOffset(broker.id())) {
      LOG.info("Broker {} has caught up and is unfenced", broker.id());
      BrokerTransitions.unfence(draft, broker);
    }
  }

  /** A broker that may lead. */
  private boolean proceed(MetadataDraft draft, BrokerRegistration broker) {
    if (request.wantFence() && !request.wantShutDown()) {
      LOG.info("Broker {} is fenced because it asked for it", broker.id());
      // Perhaps long ago, before it was unfenced: what it leads now waits for its lease.
      return BrokerTransitions.fenceUnproven(draft, broker);
    }
    if (!request.wantShutDown()) {
      return true;
    }
    if (!broker.inControlledShutdown()) {
      LOG.info("Broker {} begins to stop", broker.id());
      return BrokerTransitions.beginShutdown(draft, broker);
    }
    if (mayStop(draft.image(), broker)) {
      LOG.info("Broker {} leads nothing any more and may stop", broker.id());
      return BrokerTransitions.fence(draft, broker);
    }
    return true;
  }

  /** It leads nothing, nobody waits for it to have stopped leading, and all others know. */
  private boolean mayStop(MetadataImage image, BrokerRegistration broker) {
    if (context.index().leaderships(broker.id()) > 0
        || context.handovers().isWaitedFor(broker.id())
        || !context.handovers().ready().isEmpty()) {
      return false;
    }
    return context.liveness().maySafelyStop(image, broker.id());
  }

  private boolean loseDirectories(MetadataDraft draft, BrokerRegistration broker) {
    List<Uuid> remaining = remainingDirectories(broker);
    if (remaining.size() == broker.directories().size()) {
      return true;
    }
    LOG.warn(
        "Data folders {} of broker {} have failed",
        broker.directoryDifference(remaining),
        broker.id());
    if (remaining.isEmpty()) {
      return broker.fenced() || BrokerTransitions.fence(draft, broker);
    }
    return BrokerTransitions.loseDirectories(draft, broker, remaining);
  }

  private List<Uuid> remainingDirectories(BrokerRegistration broker) {
    List<Uuid> remaining = new ArrayList<>(broker.directories());
    remaining.removeAll(request.offlineLogDirs());
    return remaining;
  }

  static boolean isCaughtUp(BrokerRegistration broker, BrokerHeartbeatRequestData request) {
    return request.currentMetadataOffset() >= broker.epoch();
  }

  /** What the broker is told, from the metadata as they are when the answer leaves. */
  static BrokerHeartbeatResponseData answer(
      MetadataImage image, BrokerHeartbeatRequestData request) {
    BrokerRegistration broker = registration(image, request.brokerId(), request.brokerEpoch());
    return new BrokerHeartbeatResponseData()
        .setIsCaughtUp(isCaughtUp(broker, request))
        .setIsFenced(broker.fenced())
        .setShouldShutDown(request.wantShutDown() && broker.fenced());
  }
}
