package dev.tidemark.metadata;

import java.util.function.BiConsumer;
import org.apache.kafka.common.message.BrokerRegistrationRequestData;
import org.apache.kafka.image.MetadataDelta;
import org.apache.kafka.image.MetadataImage;

/** What a test needs to have several brokers follow one controller. */
public final class MetadataFeed {
  private MetadataFeed() {}

  /** Tells {@code follower} of all that is published in {@code view}. */
  public static void forward(MetadataView view, BiConsumer<MetadataDelta, MetadataImage> follower) {
    view.addListener(follower::accept);
  }

  /** Takes over what was committed elsewhere. */
  public static void publish(MetadataView view, MetadataDelta delta, MetadataImage image) {
    view.publish(delta, image);
  }

  /** What a broker begins with. */
  public static void begin(MetadataView view, MetadataImage image) {
    view.publish(new MetadataDelta.Builder().setImage(MetadataImage.EMPTY).build(), image);
  }

  /** What a broker tells when it registers. */
  public static BrokerRegistrationRequestData registration(
      BrokerIncarnation broker, long previousBrokerEpoch) {
    return BrokerRegistering.request(broker, previousBrokerEpoch);
  }
}
