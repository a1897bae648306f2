package dev.tidemark.metadata;

import java.util.List;
import java.util.Optional;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.metadata.BrokerRegistrationChangeRecord;
import org.apache.kafka.common.metadata.UnregisterBrokerRecord;
import org.apache.kafka.metadata.BrokerRegistration;
import org.apache.kafka.metadata.BrokerRegistrationFencingChange;
import org.apache.kafka.metadata.BrokerRegistrationInControlledShutdownChange;
import org.apache.kafka.metadata.LeaderConstants;
import org.apache.kafka.metadata.PartitionRegistration;

/**
 * What happens to a broker, and to the partitions it is in: the cost is proportional to those. A
 * method that answers false has changed as many partitions as one batch holds and not the broker
 * itself: it is to be called again on what that batch leads to.
 */
final class BrokerTransitions {
  /** Of the record, as far as it tells fencing and shutting down. */
  private static final short STATE_VERSION = 1;

  /** Of the record, where it tells folders too (KIP-858). */
  private static final short DIRECTORIES_VERSION = 2;

  private BrokerTransitions() {}

  /** The broker is proven to have stopped, or serves as no leader by its own will. */
  static boolean fence(MetadataDraft draft, BrokerRegistration broker) {
    draft.noteStopped(broker.id());
    return fenceUnproven(draft, broker);
  }

  /** The broker may serve until its lease ends; what it led waits for that. */
  static boolean fenceUnproven(MetadataDraft draft, BrokerRegistration broker) {
    draft.setBroker(broker.id(), with(broker, Optional.of(true), Optional.empty()));
    if (!leaveIsrs(draft, broker.id())) {
      return false;
    }
    draft.add(
        change(broker).setFenced(BrokerRegistrationFencingChange.FENCE.value()), STATE_VERSION);
    return true;
  }

  /** The broker has caught up; it may lead. Partitions without a leader: {@link #electOn}. */
  static void unfence(MetadataDraft draft, BrokerRegistration broker) {
    draft.setBroker(broker.id(), with(broker, Optional.of(false), Optional.empty()));
    draft.add(
        change(broker).setFenced(BrokerRegistrationFencingChange.UNFENCE.value()), STATE_VERSION);
  }

  /** Elects leaders where there is none and the broker has a replica. */
  static boolean electOn(MetadataDraft draft, int brokerId) {
    for (PartitionKey key : draft.index().of(brokerId)) {
      if (draft.leader(key) == LeaderConstants.NO_LEADER) {
        if (draft.isFull()) {
          return false;
        }
        draft.change(key).electIfNeeded();
      }
    }
    return true;
  }

  /** The broker wants to stop: it leaves all ISRs, and others are to lead. */
  static boolean beginShutdown(MetadataDraft draft, BrokerRegistration broker) {
    draft.setBroker(broker.id(), with(broker, Optional.empty(), Optional.of(true)));
    if (!leaveIsrs(draft, broker.id())) {
      return false;
    }
    draft.add(
        change(broker)
            .setInControlledShutdown(
                BrokerRegistrationInControlledShutdownChange.IN_CONTROLLED_SHUTDOWN.value()),
        STATE_VERSION);
    return true;
  }

  /** What the broker had written may be gone; whether it leads is looked at again besides. */
  static boolean stopUncleanly(MetadataDraft draft, int brokerId) {
    for (PartitionKey key : draft.index().of(brokerId)) {
      if (isLeaving(draft, key, brokerId) || draft.isEligible(key, brokerId)) {
        if (draft.isFull()) {
          return false;
        }
        draft.change(key).stopUncleanly(brokerId);
      }
    }
    return true;
  }

  /** The broker is retired; what it holds is of no use any more. */
  static boolean unregister(MetadataDraft draft, BrokerRegistration broker) {
    draft.setBroker(broker.id(), null);
    if (!stopUncleanly(draft, broker.id())) {
      return false;
    }
    draft.add(
        new UnregisterBrokerRecord().setBrokerId(broker.id()).setBrokerEpoch(broker.epoch()),
        (short) 0);
    return true;
  }

  /** Folders of the broker have failed, not all: the replicas there are in sync no more. */
  static boolean loseDirectories(
      MetadataDraft draft, BrokerRegistration broker, List<Uuid> remaining) {
    BrokerRegistration after =
        broker.cloneWith(
            Optional.empty(), Optional.empty(), Optional.of(remaining), Optional.empty());
    draft.setBroker(broker.id(), after);
    for (PartitionKey key : draft.index().of(broker.id())) {
      PartitionRegistration state = draft.committed(key);
      if (state != null
          && !after.hasOnlineDir(state.directory(broker.id()))
          && isLeaving(draft, key, broker.id())) {
        if (draft.isFull()) {
          return false;
        }
        draft.change(key).leaveIsr(broker.id());
      }
    }
    draft.add(change(broker).setLogDirs(remaining), DIRECTORIES_VERSION);
    return true;
  }

  /** The broker is in sync nowhere any more, and leads nothing. */
  static boolean leaveIsrs(MetadataDraft draft, int brokerId) {
    for (PartitionKey key : draft.index().of(brokerId)) {
      if (isLeaving(draft, key, brokerId)) {
        if (draft.isFull()) {
          return false;
        }
        draft.change(key).leaveIsr(brokerId);
      }
    }
    return true;
  }

  /** False where nothing would change: without eligible replicas the last in-sync one stays. */
  private static boolean isLeaving(MetadataDraft draft, PartitionKey key, int brokerId) {
    if (!draft.isInSync(key, brokerId)) {
      return false;
    }
    PartitionRegistration committed = draft.committed(key);
    return draft.keepsEligible()
        || draft.leader(key) == brokerId
        || (committed != null && committed.isr.length > 1);
  }

  private static BrokerRegistration with(
      BrokerRegistration broker, Optional<Boolean> fenced, Optional<Boolean> shutdown) {
    return broker.cloneWith(fenced, shutdown, Optional.empty(), Optional.empty());
  }

  private static BrokerRegistrationChangeRecord change(BrokerRegistration broker) {
    return new BrokerRegistrationChangeRecord()
        .setBrokerId(broker.id())
        .setBrokerEpoch(broker.epoch());
  }
}
