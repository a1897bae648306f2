package dev.tidemark.metadata;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.image.MetadataImage;
import org.apache.kafka.metadata.BrokerRegistration;
import org.jspecify.annotations.Nullable;

/**
 * What the active controller knows of brokers beyond the metadata: when each was heard of, until
 * when it may serve as a leader, and how far it has applied the metadata. It is lost with the role:
 * a new active controller gives everyone a whole session. Times are of the monotonic clock.
 *
 * <p>A broker's lease is counted from when it sent a heartbeat; here it is counted from when that
 * arrived, which is later, so it is never thought to have ended while it holds.
 */
final class BrokerLiveness {
  private static final long UNKNOWN = -1;
  private static final long NEVER = Long.MIN_VALUE;

  /** A heartbeat that comes sooner than this part of a session after an answer is urgent. */
  private static final int HASTE_DIVISOR = 9;

  private final long sessionMs;
  private final Map<Integer, Contact> contacts = new TreeMap<>();
  private long activeSinceMs;

  BrokerLiveness(long sessionMs) {
    this.sessionMs = sessionMs;
  }

  long sessionMs() {
    return sessionMs;
  }

  /** This node decides from now on. */
  void onActive(MetadataImage image, long nowMs) {
    contacts.clear();
    activeSinceMs = nowMs;
    for (BrokerRegistration broker : image.cluster().brokers().values()) {
      // Also one that is fenced: the controller before may have fenced it without proof.
      Contact contact = new Contact(broker.epoch(), nowMs, nowMs + sessionMs);
      contact.neededOffset = image.provenance().lastContainedOffset();
      contacts.put(broker.id(), contact);
    }
  }

  /** A new run of a broker; {@code isLocal}: it is this process, which needs no heartbeats. */
  void onRegistered(int brokerId, long brokerEpoch, boolean isLocal, long nowMs) {
    Contact contact = new Contact(brokerEpoch, nowMs, nowMs);
    contact.isLocal = isLocal;
    contacts.put(brokerId, contact);
  }

  /** A heartbeat has come, whatever its answer will be. */
  void onHeartbeat(int brokerId, long brokerEpoch, long metadataOffset, long nowMs) {
    Contact contact = contacts.get(brokerId);
    if (contact != null && contact.epoch == brokerEpoch) {
      contact.lastMs = nowMs;
      contact.metadataOffset = Math.max(contact.metadataOffset, metadataOffset);
    }
  }

  /** The heartbeat that came at {@code arrivedMs} may be answered so that the broker may lead. */
  void onGrant(int brokerId, long arrivedMs) {
    Contact contact = contacts.get(brokerId);
    if (contact != null) {
      contact.leaseEndMs = Math.max(contact.leaseEndMs, arrivedMs + sessionMs);
    }
  }

  /** It is proven that the broker does not serve, or it says so itself. */
  void onStopped(int brokerId, long nowMs) {
    Contact contact = contacts.get(brokerId);
    if (contact != null) {
      contact.leaseEndMs = Math.min(contact.leaseEndMs, nowMs);
    }
  }

  /** The heartbeat that came at {@code arrivedMs} was answered: the broker may lead. */
  void onAnswered(int brokerId, long arrivedMs, long nowMs) {
    Contact contact = contacts.get(brokerId);
    if (contact != null) {
      contact.grantedMs = arrivedMs;
      contact.answeredMs = nowMs;
    }
  }

  /** Whatever the broker was answered, it may not know. */
  void forgetAnswer(int brokerId) {
    Contact contact = contacts.get(brokerId);
    if (contact != null) {
      contact.answeredMs = NEVER;
    }
  }

  /**
   * True when the broker surely has a lease that goes on for some time, and does not seem to be in
   * haste: the heartbeat it was answered last came less than half of its lease ago, and its answer
   * was not just now. Nobody is so before the first answer of this active controller.
   */
  boolean isAtRest(int brokerId, long nowMs) {
    Contact contact = contacts.get(brokerId);
    return contact != null
        && contact.answeredMs != NEVER
        && nowMs - contact.answeredMs >= sessionMs / HASTE_DIVISOR
        && nowMs - contact.grantedMs < BrokerControlSettings.leaseMs(sessionMs) / 2;
  }

  boolean isLocal(int brokerId) {
    Contact contact = contacts.get(brokerId);
    return contact != null && contact.isLocal;
  }

  /** Up to where the broker has said that it acts upon the metadata; -1 = it has said nothing. */
  long appliedOffset(int brokerId) {
    Contact contact = contacts.get(brokerId);
    if (contact == null) {
      return UNKNOWN;
    }
    return contact.isLocal ? Long.MAX_VALUE : contact.metadataOffset;
  }

  /** Nothing was heard of the broker for a whole session. */
  boolean isSilent(int brokerId, long nowMs) {
    Contact contact = contacts.get(brokerId);
    return contact == null || (!contact.isLocal && nowMs - contact.lastMs >= sessionMs);
  }

  /** The broker, registered or not, serves as no leader any more unless it is granted it anew. */
  boolean hasLeaseEnded(int brokerId, long nowMs) {
    return nowMs >= leaseEndMs(brokerId);
  }

  /** From when on the broker serves as no leader, unless it is granted a lease until then. */
  long leaseEndMs(int brokerId) {
    Contact contact = contacts.get(brokerId);
    return contact == null ? activeSinceMs + sessionMs : contact.leaseEndMs;
  }

  /** The unfenced brokers that are silent, in order. */
  List<Integer> silent(MetadataImage image, long nowMs) {
    List<Integer> silent = new ArrayList<>();
    for (int id : contacts.keySet()) {
      BrokerRegistration broker = image.cluster().broker(id);
      if (broker != null && !broker.fenced() && isSilent(id, nowMs)) {
        silent.add(id);
      }
    }
    return silent;
  }

  /** When the next unfenced broker becomes silent; null if none can. */
  @Nullable Long nextSilenceMs(MetadataImage image) {
    Long next = null;
    for (Map.Entry<Integer, Contact> entry : contacts.entrySet()) {
      BrokerRegistration broker = image.cluster().broker(entry.getKey());
      if (broker != null && !broker.fenced() && !entry.getValue().isLocal) {
        long silentMs = entry.getValue().lastMs + sessionMs;
        next = next == null ? silentMs : Math.min(next, silentMs);
      }
    }
    return next;
  }

  /** How far every unfenced broker but this one has applied the metadata. */
  private long lowestOffset(MetadataImage image, int exceptId) {
    long lowest = Long.MAX_VALUE;
    for (BrokerRegistration broker : image.cluster().brokers().values()) {
      Contact contact = contacts.get(broker.id());
      if (broker.id() != exceptId && !broker.fenced() && contact != null && !contact.isLocal) {
        lowest = Math.min(lowest, contact.metadataOffset);
      }
    }
    return lowest;
  }

  /** The broker was fenced, as the metadata up to {@code offset} say. */
  void onFenced(int brokerId, long offset) {
    Contact contact = contacts.get(brokerId);
    if (contact != null) {
      contact.neededOffset = offset;
    }
  }

  /**
   * Up to where a fenced broker must have applied the metadata before it may be unfenced: what was
   * taken from it when it was fenced it must not think to lead when it is granted a lease again.
   */
  long neededOffset(int brokerId) {
    Contact contact = contacts.get(brokerId);
    return contact == null ? UNKNOWN : contact.neededOffset;
  }

  /** A broker that wants to stop leads nothing any more; the first call counts. */
  void onLeadsNothing(int brokerId, long offset) {
    Contact contact = contacts.get(brokerId);
    if (contact != null && contact.shutdownOffset == UNKNOWN) {
      contact.shutdownOffset = offset;
    }
  }

  /** All unfenced brokers know that this one, which wants to stop, leads nothing any more. */
  boolean maySafelyStop(MetadataImage image, int brokerId) {
    Contact contact = contacts.get(brokerId);
    return contact != null
        && contact.shutdownOffset != UNKNOWN
        && lowestOffset(image, brokerId) >= contact.shutdownOffset;
  }

  /** One broker's. */
  private static final class Contact {
    final long epoch;
    long lastMs;
    long leaseEndMs;
    long metadataOffset = UNKNOWN;
    long shutdownOffset = UNKNOWN;
    long neededOffset = UNKNOWN;
    long grantedMs = NEVER;
    long answeredMs = NEVER;
    boolean isLocal;

    Contact(long epoch, long nowMs, long leaseEndMs) {
      this.epoch = epoch;
      this.lastMs = nowMs;
      this.leaseEndMs = leaseEndMs;
    }
  }
}
