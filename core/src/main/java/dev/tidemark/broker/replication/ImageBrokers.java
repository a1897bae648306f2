package dev.tidemark.broker.replication;

import dev.tidemark.metadata.MetadataView;
import dev.tidemark.replica.BrokerRegistry;
import java.util.function.LongSupplier;
import org.apache.kafka.metadata.BrokerRegistration;

/** The brokers as the newest cluster metadata describe them. Owned by the data shard. */
final class ImageBrokers implements BrokerRegistry {
  private final MetadataView view;
  private final LongSupplier ownEpoch;

  ImageBrokers(MetadataView view, LongSupplier ownEpoch) {
    this.view = view;
    this.ownEpoch = ownEpoch;
  }

  @Override
  public boolean isEligible(int brokerId, long brokerEpoch) {
    BrokerRegistration broker = view.image().cluster().broker(brokerId);
    return broker != null
        && broker.epoch() == brokerEpoch
        && !broker.fenced()
        && !broker.inControlledShutdown();
  }

  @Override
  public boolean isAlive(int brokerId) {
    BrokerRegistration broker = view.image().cluster().broker(brokerId);
    return broker != null && !broker.fenced();
  }

  @Override
  public long ownEpoch() {
    return ownEpoch.getAsLong();
  }
}
