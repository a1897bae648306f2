package dev.tidemark.broker;

import dev.tidemark.broker.control.BrokerLife;
import dev.tidemark.broker.control.ControllerChannel;
import dev.tidemark.broker.control.Forwarder;
import dev.tidemark.broker.control.KnownController;
import dev.tidemark.broker.control.LeaderLease;
import dev.tidemark.broker.control.LifeSettings;
import dev.tidemark.broker.control.RoutedChannel;
import dev.tidemark.broker.request.IncrementalAlterConfigsHandler.Alterer;
import dev.tidemark.broker.request.TopicCreator;
import dev.tidemark.env.Dialer;
import dev.tidemark.env.Shard;
import dev.tidemark.metadata.BrokerIncarnation;
import dev.tidemark.metadata.ControllerCalls;
import dev.tidemark.metadata.MetadataView;
import dev.tidemark.metadata.Reply;
import dev.tidemark.protocol.PeerConnection;
import dev.tidemark.transaction.ProducerIds;
import org.apache.kafka.common.message.AllocateProducerIdsRequestData;
import org.apache.kafka.common.message.AllocateProducerIdsResponseData;
import org.apache.kafka.common.message.IncrementalAlterConfigsResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.IncrementalAlterConfigsRequest;
import org.apache.kafka.server.common.ProducerIdsBlock;

/**
 * A broker's part in a cluster of several nodes: its life, its lease, and its ways to the active
 * controller. Owned by the data shard.
 */
final class Membership implements ControllerAccess {
  private static final long REQUEST_TIMEOUT_MS = 30_000;

  private final int nodeId;
  private final KnownController known;
  private final ControllerCalls calls;
  private final RoutedChannel requests;
  private final RoutedChannel forwarding;
  private final Forwarder forwarder;
  private final ForwardedCreation creation;
  private final RequestHandler quorumHere;
  private final LeaderLease lease;
  private final BrokerLife life;

  /**
   * @param calls the controller in this process
   * @param quorumHere hands a request to raft in this process
   * @param dialer of the data shard
   */
  Membership(
      BrokerSettings settings,
      String clusterId,
      BrokerIncarnation incarnation,
      KnownController known,
      ControllerCalls calls,
      RequestHandler quorumHere,
      MetadataView view,
      Shard data,
      Dialer dialer,
      BrokerLife.Owner owner) {
    ClusterSettings cluster = settings.cluster();
    this.nodeId = settings.nodeId();
    this.known = known;
    this.calls = calls;
    this.quorumHere = quorumHere;
    String name = "broker-" + nodeId;
    this.requests = new RoutedChannel(known, calls, dialer, data, name + "-requests");
    this.forwarding = new RoutedChannel(known, calls, dialer, data, name + "-forwarding");
    this.forwarder = new Forwarder(known, forwarding, data);
    this.creation =
        new ForwardedCreation(forwarder, TopicCreator.of(calls), view, data.timers(), name);
    this.lease =
        cluster.leaderLease()
            ? LeaderLease.needed(data.clock(), cluster.sessionTimeoutMs())
            : LeaderLease.notNeeded(data.clock());
    this.life =
        new BrokerLife(
            incarnation,
            new LifeSettings(
                clusterId,
                cluster.sessionTimeoutMs(),
                cluster.heartbeatIntervalMs(),
                cluster.registrationTimeoutMs()),
            new RoutedChannel(known, calls, dialer, data, name + "-heartbeats"),
            known,
            lease,
            view,
            data,
            owner);
    view.addListener(creation);
  }

  BrokerLife life() {
    return life;
  }

  /** For requests of replicas: AlterPartition, AssignReplicasToDirs. */
  ControllerChannel requests() {
    return requests;
  }

  /** Whether this broker may serve as a leader. */
  LeaderLease lease() {
    return lease;
  }

  /** After the last request. */
  void close() {
    requests.close();
    forwarding.close();
  }

  @Override
  public ControllerCalls here() {
    return calls;
  }

  @Override
  public RequestHandler deciding(RequestHandler local) {
    return new ForwardingHandler(forwarder, local);
  }

  @Override
  public RequestHandler quorum(RequestHandler alone) {
    return new ForwardingHandler(forwarder, quorumHere);
  }

  @Override
  public TopicCreator topicCreator() {
    return creation;
  }

  @Override
  public Alterer configAlterer() {
    Alterer local = Alterer.of(calls);
    return (request, asked, reply) ->
        forwarder.ask(
            request.header(),
            new IncrementalAlterConfigsRequest(asked, request.version()),
            ForwardingHandler.asker(request),
            () -> request.goOn(() -> local.alter(request, asked, reply)),
            new Reply<>() {
              @Override
              public void succeed(ApiMessage response) {
                reply.succeed((IncrementalAlterConfigsResponseData) response);
              }

              @Override
              public void fail(Throwable cause) {
                reply.fail(cause);
              }
            });
  }

  @Override
  public ProducerIds.BlockSource producerIdBlocks() {
    return reply ->
        requests.send(
            ApiKeys.ALLOCATE_PRODUCER_IDS,
            new AllocateProducerIdsRequestData()
                .setBrokerId(nodeId)
                .setBrokerEpoch(life.brokerEpoch()),
            REQUEST_TIMEOUT_MS,
            new Allocated(reply));
  }

  /** Turns the controller's answer into a block; a producer that gets none asks again. */
  private final class Allocated implements PeerConnection.Answer {
    private final Reply<ProducerIdsBlock> reply;

    Allocated(Reply<ProducerIdsBlock> reply) {
      this.reply = reply;
    }

    @Override
    public void onResponse(ApiMessage response) {
      AllocateProducerIdsResponseData ids = (AllocateProducerIdsResponseData) response;
      if (ids.errorCode() == Errors.NONE.code()) {
        reply.succeed(new ProducerIdsBlock(nodeId, ids.producerIdStart(), ids.producerIdLen()));
      } else {
        fail();
      }
    }

    @Override
    public void onFailed(PeerConnection.Failure failure) {
      fail();
    }

    private void fail() {
      reply.fail(
          Errors.COORDINATOR_LOAD_IN_PROGRESS.exception(
              "The active controller has given no producer ids; try again"));
    }
  }

  @Override
  public int activeController() {
    return known.now().nodeId();
  }
}
