package dev.tidemark.metadata;

import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.image.MetadataImage;
import org.apache.kafka.metadata.BrokerRegistration;

/**
 * Decides UnregisterBroker: the broker is forgotten, and its replicas are in sync no more. What it
 * led while it was alive waits until its lease has ended. A broker that lives registers again by
 * itself, but not one that is a cluster by itself, which registers at its start only.
 */
final class BrokerRemoval {
  private BrokerRemoval() {}

  /** The answer is the broker's id. */
  static Decision<Integer> decide(MetadataImage image, ElectionContext context, int brokerId) {
    BrokerRegistration broker = image.cluster().broker(brokerId);
    if (broker == null) {
      throw new Refusal(
          Errors.BROKER_ID_NOT_REGISTERED, "Broker %d is not registered.".formatted(brokerId));
    }
    if (context.liveness().isLocal(brokerId)) {
      throw new Refusal(
          Errors.INVALID_REQUEST,
          "Broker %d decides here and is the whole cluster, which cannot do without it; to retire it, stop it."
              .formatted(brokerId));
    }
    MetadataDraft draft = context.draft(image);
    return BrokerTransitions.unregister(draft, broker)
        ? draft.decision(brokerId)
        : Decision.first(draft.records(), later -> decide(later, context, brokerId));
  }
}
