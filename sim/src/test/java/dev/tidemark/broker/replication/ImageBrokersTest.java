package dev.tidemark.broker.replication;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.metadata.MetadataFeed;
import dev.tidemark.metadata.MetadataView;
import org.apache.kafka.common.metadata.RegisterBrokerRecord;
import org.apache.kafka.image.MetadataDelta;
import org.apache.kafka.image.MetadataImage;
import org.apache.kafka.image.MetadataProvenance;
import org.junit.jupiter.api.Test;

class ImageBrokersTest {
  private final MetadataView view = new MetadataView();
  private final ImageBrokers brokers = new ImageBrokers(view, () -> 5);

  private void register(boolean fenced, boolean stopping) {
    MetadataDelta delta = new MetadataDelta.Builder().setImage(MetadataImage.EMPTY).build();
    delta.replay(
        new RegisterBrokerRecord()
            .setBrokerId(2)
            .setBrokerEpoch(9)
            .setFenced(fenced)
            .setInControlledShutdown(stopping));
    MetadataFeed.publish(view, delta, delta.apply(MetadataProvenance.EMPTY));
  }

  @Test
  void aBrokerThatServesUnderThisRegistrationMayBeInAnIsr() {
    assertThat(brokers.isEligible(2, 9)).isFalse();
    register(false, false);
    assertThat(brokers.isEligible(2, 9)).isTrue();
    assertThat(brokers.isEligible(2, 8)).isFalse();
    assertThat(brokers.isEligible(3, 9)).isFalse();
    assertThat(brokers.ownEpoch()).isEqualTo(5);
  }

  @Test
  void oneThatIsFencedOrOnItsWayOutMayNot() {
    register(true, false);
    assertThat(brokers.isEligible(2, 9)).isFalse();
    register(false, true);
    assertThat(brokers.isEligible(2, 9)).isFalse();
  }
}
