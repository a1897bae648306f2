package dev.tidemark.broker.control;

import java.util.Map;
import org.apache.kafka.common.protocol.ApiKeys;

/**
 * In which version a broker sends each request to the controller. What nodes of one cluster may
 * differ in is the release, so a version goes up only in the release after the one that answers it
 * first.
 */
final class SentVersions {
  private static final Map<ApiKeys, Short> VERSIONS =
      Map.of(
          ApiKeys.BROKER_REGISTRATION, (short) 4,
          ApiKeys.BROKER_HEARTBEAT, (short) 1,
          ApiKeys.ALTER_PARTITION, (short) 3,
          ApiKeys.ALLOCATE_PRODUCER_IDS, (short) 0,
          ApiKeys.ASSIGN_REPLICAS_TO_DIRS, (short) 0,
          ApiKeys.ENVELOPE, (short) 0);

  private SentVersions() {}

  static short of(ApiKeys api) {
    Short version = VERSIONS.get(api);
    if (version == null) {
      throw new IllegalArgumentException("Brokers do not send " + api + " to the controller");
    }
    return version;
  }
}
