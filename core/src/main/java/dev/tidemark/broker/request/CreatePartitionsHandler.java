package dev.tidemark.broker.request;

import dev.tidemark.broker.Request;
import dev.tidemark.broker.RequestHandler;
import dev.tidemark.metadata.ControllerCalls;
import org.apache.kafka.common.message.CreatePartitionsRequestData;
import org.apache.kafka.common.message.CreatePartitionsResponseData;

/** CreatePartitions: makes topics larger (KIP-195). */
public final class CreatePartitionsHandler implements RequestHandler {
  private final ControllerCalls controller;
  private final RoomForPartitions room;

  public CreatePartitionsHandler(ControllerCalls controller, RoomForPartitions room) {
    this.controller = controller;
    this.room = room;
  }

  @Override
  public void handle(Request request) {
    CreatePartitionsRequestData data = request.data(CreatePartitionsRequestData.class);
    room.check(
        () ->
            controller.call(
                (decider, reply) -> decider.createPartitions(data, reply),
                new ControllerAnswer<CreatePartitionsResponseData>(request)),
        request::fail);
  }
}
