package dev.tidemark.broker.request;

import dev.tidemark.broker.Partitions;
import dev.tidemark.broker.Request;
import dev.tidemark.broker.RequestHandler;
import dev.tidemark.metadata.ControllerCalls;
import dev.tidemark.metadata.Reply;
import org.apache.kafka.common.message.CreateTopicsRequestData;
import org.apache.kafka.common.message.CreateTopicsResponseData;
import org.apache.kafka.common.message.CreateTopicsResponseData.CreatableTopicResult;
import org.apache.kafka.common.protocol.Errors;

/**
 * CreateTopics: decided by the controller, answered once the topics are durable. Where there is no
 * room nothing is created. A topic whose partitions then cannot be opened exists; its creator is
 * told that it is offline until the disk is well.
 */
public final class CreateTopicsHandler implements RequestHandler {
  private final ControllerCalls controller;
  private final RoomForPartitions room;
  private final Partitions partitions;

  public CreateTopicsHandler(
      ControllerCalls controller, RoomForPartitions room, Partitions partitions) {
    this.controller = controller;
    this.room = room;
    this.partitions = partitions;
  }

  @Override
  public void handle(Request request) {
    CreateTopicsRequestData data = request.data(CreateTopicsRequestData.class);
    room.check(
        () ->
            controller.call(
                (decider, reply) -> decider.createTopics(data, reply), new Created(request)),
        request::fail);
  }

  /** The controller's reply, which comes after the partitions were opened or failed to. */
  private final class Created implements Reply<CreateTopicsResponseData> {
    private final Request request;

    Created(Request request) {
      this.request = request;
    }

    @Override
    public void succeed(CreateTopicsResponseData result) {
      result.topics().forEach(this::checkOnline);
      request.answer(result);
    }

    private void checkOnline(CreatableTopicResult topic) {
      if (topic.errorCode() != Errors.NONE.code()) {
        return;
      }
      for (int partition = 0; partition < topic.numPartitions(); partition++) {
        if (partitions.isOffline(topic.name(), partition)) {
          topic
              .setErrorCode(Errors.KAFKA_STORAGE_ERROR.code())
              .setErrorMessage(
                  "The topic was created, but "
                      + partitions.whyMissing(topic.name(), partition)
                      + ". It serves as soon as the disk is well.");
          return;
        }
      }
    }

    @Override
    public void fail(Throwable cause) {
      request.fail(cause);
    }
  }
}
