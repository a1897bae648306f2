package dev.tidemark.broker.control;

import dev.tidemark.metadata.ControllerCalls;
import dev.tidemark.metadata.Reply;
import dev.tidemark.protocol.PeerConnection;
import java.util.function.Function;
import org.apache.kafka.common.message.AllocateProducerIdsRequestData;
import org.apache.kafka.common.message.AllocateProducerIdsResponseData;
import org.apache.kafka.common.message.AlterPartitionRequestData;
import org.apache.kafka.common.message.AlterPartitionResponseData;
import org.apache.kafka.common.message.AssignReplicasToDirsRequestData;
import org.apache.kafka.common.message.AssignReplicasToDirsResponseData;
import org.apache.kafka.common.message.BrokerHeartbeatRequestData;
import org.apache.kafka.common.message.BrokerHeartbeatResponseData;
import org.apache.kafka.common.message.BrokerRegistrationRequestData;
import org.apache.kafka.common.message.BrokerRegistrationResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.server.common.ProducerIdsBlock;

/**
 * The controller in this process, asked by the broker in it as others ask from outside, without a
 * socket. Owned by the data shard.
 */
final class LocalController {
  private final ControllerCalls calls;

  LocalController(ControllerCalls calls) {
    this.calls = calls;
  }

  /** Exactly one method of {@code answer} is called, later than this call. */
  void call(ApiKeys api, ApiMessage request, PeerConnection.Answer answer) {
    switch (api) {
      case BROKER_REGISTRATION -> {
        BrokerRegistrationRequestData data = (BrokerRegistrationRequestData) request;
        calls.call(
            (controller, reply) -> controller.registerBroker(data, reply),
            new Answered<Long>(
                api, answer, epoch -> new BrokerRegistrationResponseData().setBrokerEpoch(epoch)));
      }
      case BROKER_HEARTBEAT -> {
        BrokerHeartbeatRequestData data = (BrokerHeartbeatRequestData) request;
        calls.call(
            (controller, reply) -> controller.heartbeat(data, reply),
            new Answered<BrokerHeartbeatResponseData>(api, answer, response -> response));
      }
      case ALTER_PARTITION -> {
        AlterPartitionRequestData data = (AlterPartitionRequestData) request;
        calls.call(
            (controller, reply) -> controller.alterPartition(data, reply),
            new Answered<AlterPartitionResponseData>(api, answer, response -> response));
      }
      case ASSIGN_REPLICAS_TO_DIRS -> {
        AssignReplicasToDirsRequestData data = (AssignReplicasToDirsRequestData) request;
        calls.call(
            (controller, reply) -> controller.assignReplicasToDirs(data, reply),
            new Answered<AssignReplicasToDirsResponseData>(api, answer, response -> response));
      }
      case ALLOCATE_PRODUCER_IDS -> {
        AllocateProducerIdsRequestData data = (AllocateProducerIdsRequestData) request;
        calls.call(
            (controller, reply) ->
                controller.allocateProducerIds(data.brokerId(), data.brokerEpoch(), reply),
            new Answered<>(api, answer, LocalController::response));
      }
      default -> throw new IllegalArgumentException("Brokers do not ask the controller for " + api);
    }
  }

  private static ApiMessage response(ProducerIdsBlock block) {
    return new AllocateProducerIdsResponseData()
        .setProducerIdStart(block.firstProducerId())
        .setProducerIdLen(block.size());
  }

  private static ApiMessage failed(ApiKeys api, Errors error) {
    return switch (api) {
      case BROKER_REGISTRATION -> new BrokerRegistrationResponseData().setErrorCode(error.code());
      case BROKER_HEARTBEAT -> new BrokerHeartbeatResponseData().setErrorCode(error.code());
      case ALTER_PARTITION -> new AlterPartitionResponseData().setErrorCode(error.code());
      case ASSIGN_REPLICAS_TO_DIRS ->
          new AssignReplicasToDirsResponseData().setErrorCode(error.code());
      case ALLOCATE_PRODUCER_IDS ->
          new AllocateProducerIdsResponseData().setErrorCode(error.code());
      default -> throw new IllegalArgumentException(String.valueOf(api));
    };
  }

  /** Turns the controller's reply into the response another process would get. */
  private record Answered<T>(
      ApiKeys api, PeerConnection.Answer answer, Function<T, ApiMessage> response)
      implements Reply<T> {
    @Override
    public void succeed(T result) {
      answer.onResponse(response.apply(result));
    }

    @Override
    public void fail(Throwable cause) {
      answer.onResponse(failed(api, Errors.forException(cause)));
    }
  }
}
