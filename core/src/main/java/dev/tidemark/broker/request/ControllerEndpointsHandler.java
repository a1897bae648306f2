package dev.tidemark.broker.request;

import dev.tidemark.broker.Request;
import dev.tidemark.broker.RequestHandler;
import dev.tidemark.quorum.QuorumVoter;
import java.util.List;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import org.apache.kafka.common.message.DescribeClusterRequestData;
import org.apache.kafka.common.message.DescribeClusterResponseData;
import org.apache.kafka.common.message.DescribeClusterResponseData.DescribeClusterBroker;
import org.apache.kafka.common.protocol.Errors;

/** DescribeCluster at a controller: the controllers and which of them is active (KIP-919). */
public final class ControllerEndpointsHandler implements RequestHandler {
  private static final byte CONTROLLERS = 2;

  private final String clusterId;
  private final IntSupplier active;
  private final Supplier<List<QuorumVoter>> voters;

  /**
   * @param active the node that leads the metadata log; -1 while none is known
   * @param voters those that may, by id
   */
  public ControllerEndpointsHandler(
      String clusterId, IntSupplier active, Supplier<List<QuorumVoter>> voters) {
    this.clusterId = clusterId;
    this.active = active;
    this.voters = voters;
  }

  @Override
  public void handle(Request request) {
    DescribeClusterRequestData data = request.data(DescribeClusterRequestData.class);
    DescribeClusterResponseData response =
        new DescribeClusterResponseData().setEndpointType(data.endpointType());
    if (data.endpointType() != CONTROLLERS) {
      request.answer(
          response
              .setErrorCode(Errors.MISMATCHED_ENDPOINT_TYPE.code())
              .setErrorMessage("This is a listener of a controller; ask it for controllers."));
      return;
    }
    response
        .setClusterId(clusterId)
        .setControllerId(active.getAsInt())
        .setClusterAuthorizedOperations(
            AuthorizedOperations.cluster(data.includeClusterAuthorizedOperations()));
    for (QuorumVoter voter : voters.get()) {
      if (voter.address() != null) {
        response
            .brokers()
            .add(
                new DescribeClusterBroker()
                    .setBrokerId(voter.nodeId())
                    .setHost(voter.address().host())
                    .setPort(voter.address().port())
                    .setRack(null));
      }
    }
    request.answer(response);
  }
}
