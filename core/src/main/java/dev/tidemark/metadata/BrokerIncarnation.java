package dev.tidemark.metadata;

import java.util.List;
import java.util.Optional;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.BrokerRegistrationRequestData;

/**
 * One run of a broker, as it registers.
 *
 * @param incarnationId new with every start
 * @param listeners what is advertised to clients: real hosts and ports
 * @param directoryIds the ids of its data folders
 * @param afterCleanStop true when its run before closed every log in order, so that nothing is lost
 */
public record BrokerIncarnation(
    int brokerId,
    Uuid incarnationId,
    List<Listener> listeners,
    Optional<String> rack,
    List<Uuid> directoryIds,
    boolean afterCleanStop) {
  public BrokerIncarnation {
    listeners = List.copyOf(listeners);
    directoryIds = List.copyOf(directoryIds);
  }

  /**
   * What this run tells when it registers.
   *
   * @param previousBrokerEpoch the epoch of its run before if nothing of what that wrote is lost;
   *     else -1
   */
  public BrokerRegistrationRequestData registration(String clusterId, long previousBrokerEpoch) {
    return BrokerRegistering.request(this, previousBrokerEpoch).setClusterId(clusterId);
  }

  /**
   * An advertised address.
   *
   * @param securityProtocol Kafka's id of the protocol, 0 = PLAINTEXT
   */
  public record Listener(String name, String host, int port, short securityProtocol) {}
}
