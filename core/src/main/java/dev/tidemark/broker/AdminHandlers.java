package dev.tidemark.broker;

import dev.tidemark.broker.request.AlterConfigsHandler;
import dev.tidemark.broker.request.AlterPartitionReassignmentsHandler;
import dev.tidemark.broker.request.CreatePartitionsHandler;
import dev.tidemark.broker.request.CreateTopicsHandler;
import dev.tidemark.broker.request.DeleteTopicsHandler;
import dev.tidemark.broker.request.ElectLeadersHandler;
import dev.tidemark.broker.request.RoomForPartitions;
import dev.tidemark.broker.request.UpdateFeaturesHandler;
import dev.tidemark.metadata.ControllerCalls;
import java.util.function.UnaryOperator;
import org.apache.kafka.common.protocol.ApiKeys;

/**
 * What administrators ask of the controller, on a listener for clients and on that of controllers.
 */
final class AdminHandlers {
  private AdminHandlers() {}

  /**
   * Registers them all but IncrementalAlterConfigs, a part of which is the broker's own.
   *
   * @param deciding has what the controller decides answered by the active one
   */
  static void register(
      HandlerRegistry registry,
      ControllerCalls controller,
      RoomForPartitions room,
      Partitions partitions,
      UnaryOperator<RequestHandler> deciding) {
    registry
        .add(
            ApiKeys.CREATE_TOPICS,
            deciding.apply(new CreateTopicsHandler(controller, room, partitions)))
        .add(ApiKeys.DELETE_TOPICS, deciding.apply(new DeleteTopicsHandler(controller)))
        .add(
            ApiKeys.CREATE_PARTITIONS,
            deciding.apply(new CreatePartitionsHandler(controller, room)))
        .add(ApiKeys.ELECT_LEADERS, deciding.apply(new ElectLeadersHandler(controller)))
        .add(
            ApiKeys.ALTER_PARTITION_REASSIGNMENTS,
            deciding.apply(new AlterPartitionReassignmentsHandler(controller)))
        .add(ApiKeys.UPDATE_FEATURES, deciding.apply(new UpdateFeaturesHandler(controller)))
        .add(ApiKeys.ALTER_CONFIGS, deciding.apply(new AlterConfigsHandler(controller)));
  }
}
