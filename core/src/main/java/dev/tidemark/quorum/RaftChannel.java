package dev.tidemark.quorum;

import dev.tidemark.env.Dialer;
import dev.tidemark.env.Timers;
import dev.tidemark.protocol.PeerConnection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.network.ListenerName;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.raft.LeaderAndEpoch;
import org.apache.kafka.raft.NetworkChannel;
import org.apache.kafka.raft.RaftRequest;
import org.apache.kafka.raft.RaftResponse;
import org.apache.kafka.raft.RaftUtil;

/**
 * Raft's requests to other nodes. Raft has one request under way to each node; when it makes
 * another it has given the one before up, which must not hold the new one back: a vote would wait
 * behind a fetch that the peer lets wait for records. So the connection is then opened anew.
 *
 * <p>While its leader does not answer raft asks other nodes who leads, each as soon as the one
 * before has named the same one or none, over and over. So it hears of such an answer a moment
 * later.
 */
final class RaftChannel implements NetworkChannel {
  private final Dialer dialer;
  private final Timers timers;
  private final Supplier<LeaderAndEpoch> knownLeader;
  private final RaftOutbox outbox;
  private final ListenerName listenerName;
  private final String clientId;
  private final long timeoutMs;
  private final long retryMs;
  private final Map<String, PeerConnection> peers = new LinkedHashMap<>();
  private int correlationId;

  RaftChannel(
      Dialer dialer,
      Timers timers,
      RaftOutbox outbox,
      Supplier<LeaderAndEpoch> knownLeader,
      QuorumSettings settings) {
    this.knownLeader = knownLeader;
    this.dialer = dialer;
    this.timers = timers;
    this.outbox = outbox;
    this.listenerName = ListenerName.normalised(settings.listenerName());
    this.clientId = "raft-" + settings.nodeId();
    this.timeoutMs = settings.timeouts().requestTimeoutMs();
    this.retryMs = settings.timeouts().retryBackoffMs();
  }

  @Override
  public int newCorrelationId() {
    return correlationId++;
  }

  @Override
  public ListenerName listenerName() {
    return listenerName;
  }

  @Override
  public CompletionStage<RaftResponse.Inbound> send(RaftRequest.Outbound request) {
    CompletableFuture<RaftResponse.Inbound> answered = new CompletableFuture<>();
    outbox.request(request.destination().id(), () -> leave(request, answered));
    return answered;
  }

  private void leave(
      RaftRequest.Outbound request, CompletableFuture<RaftResponse.Inbound> answered) {
    ApiKeys api = ApiKeys.forId(request.data().apiKey());
    peer(request.destination())
        .send(
            api,
            RaftApis.sentVersion(api),
            request.data(),
            timeoutMs,
            new PeerConnection.Answer() {
              @Override
              public void onResponse(ApiMessage response) {
                RaftApis.keep(response);
                if (RaftApis.tellsNothingNew(response, knownLeader.get())) {
                  var unused = timers.schedule(retryMs, () -> end(response));
                } else {
                  end(response);
                }
              }

              @Override
              public void onFailed(PeerConnection.Failure failure) {
                end(RaftUtil.errorResponse(api, Errors.BROKER_NOT_AVAILABLE));
              }

              private void end(ApiMessage response) {
                answered.complete(
                    new RaftResponse.Inbound(
                        request.correlationId(), response, request.destination()));
              }
            });
  }

  private PeerConnection peer(Node node) {
    String address = node.host() + ":" + node.port();
    PeerConnection peer = peers.get(address);
    if (peer == null || peer.unanswered() > 0) {
      if (peer != null) {
        peer.close();
      }
      peer = new PeerConnection(dialer, timers, clientId, node.host(), node.port());
      peers.put(address, peer);
    }
    return peer;
  }

  @Override
  public void close() {
    peers.values().forEach(PeerConnection::close);
    peers.clear();
  }
}
