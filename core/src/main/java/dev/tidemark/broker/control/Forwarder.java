package dev.tidemark.broker.control;

import dev.tidemark.env.Clock;
import dev.tidemark.env.Shard;
import dev.tidemark.metadata.Reply;
import dev.tidemark.protocol.PeerConnection;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.function.BooleanSupplier;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.message.EnvelopeRequestData;
import org.apache.kafka.common.message.EnvelopeResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.AbstractRequest;
import org.apache.kafka.common.requests.AbstractResponse;
import org.apache.kafka.common.requests.RequestHeader;
import org.apache.kafka.common.requests.ResponseHeader;
import org.apache.kafka.common.security.auth.KafkaPrincipal;

/**
 * Hands requests of clients to the active controller (KIP-590), again and again while there is none
 * or the answer does not come. Owned by the data shard.
 */
public final class Forwarder {
  /** As long as Kafka's clients wait for an answer by default. */
  private static final long TIMEOUT_MS = 30_000;

  private static final long RETRY_MS = 50;

  private final KnownController known;
  private final RoutedChannel channel;
  private final Shard data;
  private final Clock clock;

  /** {@code channel} is for this alone. */
  public Forwarder(KnownController known, RoutedChannel channel, Shard data) {
    this.known = known;
    this.channel = channel;
    this.data = data;
    this.clock = data.clock();
  }

  /** Who asks. */
  public record Asker(KafkaPrincipal principal, InetAddress address, BooleanSupplier isGone) {
    /** The broker itself. */
    public static final Asker SELF =
        new Asker(KafkaPrincipal.ANONYMOUS, InetAddress.getLoopbackAddress(), () -> false);
  }

  /**
   * Asks the active controller. When that is in this process, {@code local} runs instead and
   * nothing is told to {@code reply}.
   *
   * @param header the request's, in whose version it is sent
   */
  public void ask(
      RequestHeader header,
      AbstractRequest request,
      Asker asker,
      Runnable local,
      Reply<ApiMessage> reply) {
    new Forwarding(header, request, asker, local, reply).attempt();
  }

  /** One request until it has an answer or its time is over. */
  private final class Forwarding implements PeerConnection.Answer {
    private final RequestHeader header;
    private final AbstractRequest request;
    private final Asker asker;
    private final Runnable local;
    private final Reply<ApiMessage> reply;
    private final long endMs = clock.monotonicMs() + TIMEOUT_MS;

    Forwarding(
        RequestHeader header,
        AbstractRequest request,
        Asker asker,
        Runnable local,
        Reply<ApiMessage> reply) {
      this.header = header;
      this.request = request;
      this.asker = asker;
      this.local = local;
      this.reply = reply;
    }

    void attempt() {
      long leftMs = endMs - clock.monotonicMs();
      if (asker.isGone().getAsBoolean()) {
        return;
      }
      if (known.now().isHere()) {
        local.run();
      } else if (leftMs <= 0) {
        reply.fail(
            new TimeoutException(
                "No active controller has answered within " + TIMEOUT_MS + " ms; try again"));
      } else {
        channel.send(ApiKeys.ENVELOPE, envelope(), leftMs, this);
      }
    }

    private EnvelopeRequestData envelope() {
      return new EnvelopeRequestData()
          .setRequestData(request.serializeWithHeader(header))
          .setRequestPrincipal(ForwardedPrincipal.write(asker.principal()))
          .setClientHostAddress(asker.address().getAddress());
    }

    private void again() {
      var unused = data.timers().schedule(RETRY_MS, this::attempt);
    }

    @Override
    public void onFailed(PeerConnection.Failure failure) {
      again();
    }

    @Override
    public void onResponse(ApiMessage response) {
      EnvelopeResponseData envelope = (EnvelopeResponseData) response;
      Errors error = Errors.forCode(envelope.errorCode());
      ByteBuffer inner = envelope.responseData();
      if (error == Errors.NOT_CONTROLLER) {
        again();
      } else if (error != Errors.NONE || inner == null) {
        reply.fail(
            error == Errors.NONE ? Errors.UNKNOWN_SERVER_ERROR.exception() : error.exception());
      } else {
        reply.succeed(parse(inner));
      }
    }

    private ApiMessage parse(ByteBuffer inner) {
      ApiKeys api = header.apiKey();
      var unused = ResponseHeader.parse(inner, api.responseHeaderVersion(header.apiVersion()));
      return AbstractResponse.parseResponse(api, new ByteBufferAccessor(inner), header.apiVersion())
          .data();
    }
  }
}
