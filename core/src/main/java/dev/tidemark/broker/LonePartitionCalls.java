package dev.tidemark.broker;

import dev.tidemark.log.LogId;
import dev.tidemark.metadata.ControllerCalls;
import dev.tidemark.metadata.Reply;
import org.apache.kafka.common.Uuid;

/** What partitions ask of the controller on a node that is a whole cluster. */
record LonePartitionCalls(ControllerCalls calls, int nodeId) implements LedPartitionCalls {
  @Override
  public void renew(LogId id, Reply<Integer> reply) {
    calls.call(
        (decider, answer) -> decider.renewLeadership(id.topicId(), id.partition(), nodeId, answer),
        reply);
  }

  @Override
  public void assign(LogId id, Uuid directoryId, Reply<Uuid> reply) {
    calls.call(
        (decider, answer) ->
            decider.assignDirectory(id.topicId(), id.partition(), nodeId, directoryId, answer),
        reply);
  }
}
