package dev.tidemark.broker.request;

import dev.tidemark.metadata.ControllerCalls;
import dev.tidemark.metadata.Reply;
import org.apache.kafka.common.message.CreateTopicsRequestData;
import org.apache.kafka.common.message.CreateTopicsResponseData;

/** Lets the active controller create topics. Owned by the data shard. */
@FunctionalInterface
public interface TopicCreator {
  /** The reply comes when this node's metadata have the topics. */
  void create(CreateTopicsRequestData request, Reply<CreateTopicsResponseData> reply);

  /** Asks the controller in this process. */
  static TopicCreator of(ControllerCalls controller) {
    return (request, reply) ->
        controller.call((decider, answer) -> decider.createTopics(request, answer), reply);
  }
}
