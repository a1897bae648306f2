package dev.tidemark.metadata;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.kafka.common.DirectoryId;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.BrokerRegistrationRequestData;
import org.apache.kafka.common.message.BrokerRegistrationRequestData.Feature;
import org.apache.kafka.common.message.BrokerRegistrationRequestData.Listener;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.security.auth.SecurityProtocol;
import org.apache.kafka.image.MetadataImage;
import org.apache.kafka.metadata.BrokerRegistration;

/** What a broker must show to be registered (KIP-631, KIP-858). Throws {@link Refusal}. */
final class RegistrationRules {
  private static final int MAX_PORT = 65_535;

  private RegistrationRules() {}

  static void checkCluster(BrokerRegistrationRequestData request, String clusterId) {
    if (!clusterId.equals(request.clusterId())) {
      throw new Refusal(
          Errors.INCONSISTENT_CLUSTER_ID,
          "Broker %d belongs to cluster %s, this is cluster %s: it was formatted for another one or talks to the wrong controller."
              .formatted(request.brokerId(), request.clusterId(), clusterId));
    }
  }

  /** Checks what the request says of the broker itself. */
  static void checkRequest(MetadataImage image, BrokerRegistrationRequestData request) {
    if (request.brokerId() < 0) {
      throw invalid(request, "its id is negative");
    }
    if (request.isMigratingZkBroker()) {
      throw invalid(request, "it comes from ZooKeeper, and this cluster never had one");
    }
    if (request.incarnationId() == null || request.incarnationId().equals(Uuid.ZERO_UUID)) {
      throw invalid(request, "it sent no incarnation id");
    }
    checkListeners(request);
    checkDirectories(image, request);
    checkFeatures(image, request);
  }

  private static void checkListeners(BrokerRegistrationRequestData request) {
    if (request.listeners().isEmpty()) {
      throw invalid(request, "it has no listener, so nobody could reach it");
    }
    Set<String> names = new HashSet<>();
    for (Listener listener : request.listeners()) {
      if (listener.name().isEmpty() || !names.add(listener.name())) {
        throw invalid(
            request, "the listener name '" + listener.name() + "' is empty or twice there");
      }
      if (listener.host().isEmpty() || listener.port() < 1 || listener.port() > MAX_PORT) {
        throw invalid(
            request,
            "listener %s has the address '%s:%d'"
                .formatted(listener.name(), listener.host(), listener.port()));
      }
      if (!isProtocol(listener.securityProtocol())) {
        throw invalid(
            request,
            "listener %s has the unknown security protocol %d"
                .formatted(listener.name(), listener.securityProtocol()));
      }
    }
  }

  private static boolean isProtocol(short id) {
    for (SecurityProtocol protocol : SecurityProtocol.values()) {
      if (protocol.id == id) {
        return true;
      }
    }
    return false;
  }

  private static void checkDirectories(MetadataImage image, BrokerRegistrationRequestData request) {
    List<Uuid> directories = request.logDirs();
    if (directories.isEmpty()) {
      throw invalid(request, "it has no data folder");
    }
    Set<Uuid> seen = new HashSet<>();
    for (Uuid directory : directories) {
      if (DirectoryId.reserved(directory)) {
        throw invalid(request, "the directory id " + directory + " is reserved");
      }
      if (!seen.add(directory)) {
        throw invalid(request, "it has the directory id " + directory + " twice");
      }
    }
    for (BrokerRegistration other : new TreeMap<>(image.cluster().brokers()).values()) {
      if (other.id() != request.brokerId()) {
        List<Uuid> clash = other.directoryIntersection(directories);
        if (!clash.isEmpty()) {
          throw invalid(
              request,
              "the directory ids %s are those of broker %d: a folder was copied"
                  .formatted(clash, other.id()));
        }
      }
    }
  }

  /** A broker that does not understand what the cluster has made final may not take part. */
  private static void checkFeatures(MetadataImage image, BrokerRegistrationRequestData request) {
    for (Map.Entry<String, Short> level : ClusterFeatures.finalizedLevels(image).entrySet()) {
      Feature feature = request.features().find(level.getKey());
      short min = feature == null ? 0 : feature.minSupportedVersion();
      short max = feature == null ? 0 : feature.maxSupportedVersion();
      if (level.getValue() < min || level.getValue() > max) {
        throw new Refusal(
            Errors.UNSUPPORTED_VERSION,
            "Broker %d supports levels %d to %d of %s, but the cluster has made level %d final: install another version."
                .formatted(request.brokerId(), min, max, level.getKey(), level.getValue()));
      }
    }
  }

  private static Refusal invalid(BrokerRegistrationRequestData request, String why) {
    return new Refusal(
        Errors.INVALID_REGISTRATION,
        "Broker %d cannot be registered: %s.".formatted(request.brokerId(), why));
  }
}
