package dev.tidemark.broker.request;

import dev.tidemark.broker.Request;
import dev.tidemark.broker.RequestHandler;
import dev.tidemark.metadata.ControllerCalls;
import org.apache.kafka.common.message.AssignReplicasToDirsRequestData;
import org.apache.kafka.common.message.AssignReplicasToDirsResponseData;

/** AssignReplicasToDirs: a broker tells in which folders its replicas lie (KIP-858). */
public final class AssignReplicasToDirsHandler implements RequestHandler {
  private final ControllerCalls controller;

  public AssignReplicasToDirsHandler(ControllerCalls controller) {
    this.controller = controller;
  }

  @Override
  public void handle(Request request) {
    AssignReplicasToDirsRequestData data = request.data(AssignReplicasToDirsRequestData.class);
    controller.call(
        (decider, reply) -> decider.assignReplicasToDirs(data, reply),
        new ControllerAnswer<AssignReplicasToDirsResponseData>(request));
  }
}
