package dev.tidemark.broker.request;

import dev.tidemark.broker.Request;
import dev.tidemark.broker.RequestHandler;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.message.DescribeClusterRequestData;
import org.apache.kafka.common.message.DescribeClusterResponseData;
import org.apache.kafka.common.message.DescribeClusterResponseData.DescribeClusterBroker;
import org.apache.kafka.common.protocol.Errors;

/** DescribeCluster: the brokers and the controller (KIP-700, KIP-919, KIP-1073). */
public final class DescribeClusterHandler implements RequestHandler {
  private static final byte BROKERS = 1;

  private final ClusterNodes nodes;

  public DescribeClusterHandler(ClusterNodes nodes) {
    this.nodes = nodes;
  }

  @Override
  public void handle(Request request) {
    DescribeClusterRequestData data = request.data(DescribeClusterRequestData.class);
    DescribeClusterResponseData response =
        new DescribeClusterResponseData().setEndpointType(data.endpointType());
    if (data.endpointType() != BROKERS) {
      request.answer(
          response
              .setErrorCode(Errors.MISMATCHED_ENDPOINT_TYPE.code())
              .setErrorMessage("This is a listener of a broker; ask it for brokers."));
      return;
    }
    response
        .setClusterId(nodes.clusterId())
        .setControllerId(nodes.controllerId(request.client().listenerName()))
        .setClusterAuthorizedOperations(
            AuthorizedOperations.cluster(data.includeClusterAuthorizedOperations()));
    for (ClusterNodes.BrokerNode broker :
        nodes.all(request.client().listenerName(), data.includeFencedBrokers())) {
      Node node = broker.node();
      response
          .brokers()
          .add(
              new DescribeClusterBroker()
                  .setBrokerId(node.id())
                  .setHost(node.host())
                  .setPort(node.port())
                  .setRack(node.rack())
                  .setIsFenced(broker.fenced()));
    }
    request.answer(response);
  }
}
