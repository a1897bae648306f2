package dev.tidemark.metadata;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Objects;
import org.apache.kafka.common.message.BrokerRegistrationRequestData;
import org.apache.kafka.common.message.UpdateFeaturesRequestData;
import org.apache.kafka.common.message.UpdateFeaturesRequestData.FeatureUpdateKey;
import org.apache.kafka.common.message.UpdateFeaturesResponseData;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Test;

class FeatureLevelsTest {
  private static final byte UPGRADE = 1;
  private static final byte SAFE_DOWNGRADE = 2;

  private final ControlledCluster cluster = new ControlledCluster();

  private Errors update(String feature, int level, byte type) {
    UpdateFeaturesRequestData request = new UpdateFeaturesRequestData();
    request
        .featureUpdates()
        .add(
            new FeatureUpdateKey()
                .setFeature(feature)
                .setMaxVersionLevel((short) level)
                .setUpgradeType(type));
    Answer<UpdateFeaturesResponseData> answer = new Answer<>();
    cluster.controller.updateFeatures(request, (short) 2, answer);
    return Errors.forCode(answer.get().errorCode());
  }

  @Test
  void a_level_that_a_registered_broker_does_not_know_is_not_made_final() {
    assertThat(update("group.version", 0, SAFE_DOWNGRADE)).isEqualTo(Errors.NONE);
    cluster.join(1);
    BrokerRegistrationRequestData old = cluster.registration(2);
    Objects.requireNonNull(old.features().find("group.version")).setMaxSupportedVersion((short) 0);
    cluster.register(old).get();

    assertThat(update("group.version", 1, UPGRADE)).isEqualTo(Errors.INVALID_UPDATE_VERSION);

    cluster.controller.unregisterBroker(2, new Answer<>());
    assertThat(update("group.version", 1, UPGRADE)).isEqualTo(Errors.NONE);
  }
}
