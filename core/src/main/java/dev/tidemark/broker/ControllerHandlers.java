package dev.tidemark.broker;

import dev.tidemark.broker.request.AllocateProducerIdsHandler;
import dev.tidemark.broker.request.AlterPartitionHandler;
import dev.tidemark.broker.request.AssignReplicasToDirsHandler;
import dev.tidemark.broker.request.BrokerHeartbeatHandler;
import dev.tidemark.broker.request.BrokerRegistrationHandler;
import dev.tidemark.broker.request.UnregisterBrokerHandler;
import dev.tidemark.metadata.ControllerCalls;
import org.apache.kafka.common.protocol.ApiKeys;

/**
 * What brokers ask of the active controller. For the registry of a listener that only brokers and
 * controllers use; on a client listener none of it is answered or advertised.
 */
final class ControllerHandlers {
  private ControllerHandlers() {}

  static void register(HandlerRegistry registry, ControllerCalls controller) {
    registry
        .add(ApiKeys.BROKER_REGISTRATION, new BrokerRegistrationHandler(controller))
        .add(ApiKeys.BROKER_HEARTBEAT, new BrokerHeartbeatHandler(controller))
        .add(ApiKeys.ALTER_PARTITION, new AlterPartitionHandler(controller))
        .add(ApiKeys.ALLOCATE_PRODUCER_IDS, new AllocateProducerIdsHandler(controller))
        .add(ApiKeys.ASSIGN_REPLICAS_TO_DIRS, new AssignReplicasToDirsHandler(controller))
        .add(ApiKeys.UNREGISTER_BROKER, new UnregisterBrokerHandler(controller));
  }
}
