package dev.tidemark.broker;

import dev.tidemark.broker.request.IncrementalAlterConfigsHandler.Alterer;
import dev.tidemark.broker.request.TopicCreator;
import dev.tidemark.metadata.ControllerCalls;
import dev.tidemark.transaction.ProducerIds;

/**
 * How a broker's handlers have the active controller decide, be it in this process or in another.
 * Owned by the data shard.
 */
interface ControllerAccess {
  /** The controller in this process, active or not. */
  ControllerCalls here();

  /**
   * Has a request answered by the active controller; {@code local} asks the one in this process.
   */
  RequestHandler deciding(RequestHandler local);

  /** Who answers DescribeQuorum; {@code alone} does on a node that is a whole cluster. */
  RequestHandler quorum(RequestHandler alone);

  TopicCreator topicCreator();

  Alterer configAlterer();

  ProducerIds.BlockSource producerIdBlocks();

  /** The active controller's id; -1 while none is known. */
  int activeController();

  /** For a node that is a whole cluster: the controller in this process decides. */
  static ControllerAccess alone(ControllerCalls calls, int nodeId, long brokerEpoch) {
    return new ControllerAccess() {
      @Override
      public ControllerCalls here() {
        return calls;
      }

      @Override
      public RequestHandler deciding(RequestHandler local) {
        return local;
      }

      @Override
      public RequestHandler quorum(RequestHandler alone) {
        return alone;
      }

      @Override
      public TopicCreator topicCreator() {
        return TopicCreator.of(calls);
      }

      @Override
      public Alterer configAlterer() {
        return Alterer.of(calls);
      }

      @Override
      public ProducerIds.BlockSource producerIdBlocks() {
        return reply ->
            calls.call(
                (decider, answer) -> decider.allocateProducerIds(nodeId, brokerEpoch, answer),
                reply);
      }

      @Override
      public int activeController() {
        return nodeId;
      }
    };
  }
}
