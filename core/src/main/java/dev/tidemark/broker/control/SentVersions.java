package dev.tidemark.broker.control;

import org.apache.kafka.common.protocol.ApiKeys;

/**
 * In which version a broker sends each request to the controller. What nodes of one cluster may
 * differ in is the release, so a version goes up only in the release after the one that answers it
 * first.
 */
final class SentVersions {
  private SentVersions() {}

  static short of(ApiKeys api) {
    return switch (api) {
      case BROKER_REGISTRATION -> 4;
      case BROKER_HEARTBEAT -> 1;
      case ALTER_PARTITION -> 3;
      case ALLOCATE_PRODUCER_IDS, ASSIGN_REPLICAS_TO_DIRS, ENVELOPE -> 0;
      default ->
          throw new IllegalArgumentException("Brokers do not send " + api + " to the controller");
    };
  }
}
