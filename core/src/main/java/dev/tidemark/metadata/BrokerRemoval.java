package dev.tidemark.metadata;

import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.image.MetadataImage;
import org.apache.kafka.metadata.BrokerRegistration;

/**
 * Decides UnregisterBroker: the broker is forgotten, and its replicas are in sync no more. What it
 * led while it was alive waits until its lease has ended.
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
    MetadataDraft draft = context.draft(image);
    return BrokerTransitions.unregister(draft, broker)
        ? draft.decision(brokerId)
        : Decision.first(draft.records(), later -> decide(later, context, brokerId));
  }
}
