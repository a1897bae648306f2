package dev.tidemark.broker;

import dev.tidemark.env.InboundFrame;
import dev.tidemark.env.OutboundFrame;
import dev.tidemark.protocol.FileRecords;
import dev.tidemark.protocol.ReceivedRequest;
import dev.tidemark.protocol.ResponseEncoder;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.apache.kafka.common.errors.UnsupportedVersionException;
import org.apache.kafka.common.network.ClientInformation;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.requests.AbstractRequest;
import org.apache.kafka.common.requests.AbstractResponse;
import org.apache.kafka.common.requests.RequestContext;
import org.apache.kafka.common.requests.RequestHeader;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One request of a client, and the place of its answer in the connection's order. Answered exactly
 * once, on the data shard.
 */
public final class Request {
  private static final Logger LOG = LoggerFactory.getLogger(Request.class);

  private final ReceivedRequest received;
  private final RequestOwner connection;
  private final long startedNs;
  private @Nullable OutboundFrame frame;
  private @Nullable Runnable onAbandoned;
  private @Nullable InboundFrame keptFrame;
  private BooleanSupplier mayLeave = () -> true;
  private boolean takesLonger;
  private boolean abandoned;
  private boolean answered;

  Request(ReceivedRequest received, RequestOwner connection, long startedNs) {
    this.received = received;
    this.connection = connection;
    this.startedNs = startedNs;
  }

  public ApiKeys api() {
    return received.header().apiKey();
  }

  public short version() {
    return received.header().apiVersion();
  }

  public RequestHeader header() {
    return received.header();
  }

  public AbstractRequest body() {
    return received.body();
  }

  /** The request's message, e.g. {@code data(MetadataRequestData.class)}. */
  public <T extends ApiMessage> T data(Class<T> type) {
    return type.cast(received.body().data());
  }

  /** True for an ApiVersions request of a version we do not know. */
  public boolean unsupportedVersion() {
    return received.unsupportedVersion();
  }

  public ClientContext client() {
    return connection.client();
  }

  /** Kafka's form of the same, for its group coordinator and authorizers. */
  public RequestContext context() {
    ClientContext client = client();
    return new RequestContext(
        header(),
        client.connectionId(),
        client.address(),
        Optional.of(client.port()),
        client.principal(),
        client.listenerName(),
        client.securityProtocol(),
        client.software(),
        false);
  }

  /** Remembers what the client told of its software, for later requests of this connection. */
  public void clientSoftware(ClientInformation told) {
    connection.clientSoftware(told);
  }

  /** Hands over the answer. */
  public void answer(ApiMessage response) {
    OutboundFrame encoded;
    try {
      encoded = encode(response);
    } catch (RuntimeException e) {
      // Answers leave in order: one that never comes would hold up all that follow.
      LOG.error("The answer to {} cannot be written", header(), e);
      FileRecords.releaseAll(response);
      connection.closeFor("the answer to its %s cannot be written".formatted(api().name));
      answerNothing();
      return;
    }
    answerFrame(encoded);
  }

  private OutboundFrame encode(ApiMessage response) {
    short version = received.unsupportedVersion() ? 0 : version();
    try {
      return ResponseEncoder.encode(api(), version, received.header().correlationId(), response);
    } catch (UnsupportedVersionException e) {
      // Our mistake, not the client's: the handler filled in what this version has no room for.
      throw new IllegalStateException(
          "the answer to %s version %d holds more than that version can".formatted(api(), version),
          e);
    }
  }

  /** Ends a request that gets no answer (Produce with acks=0). */
  public void answerNothing() {
    answerFrame(null);
  }

  /** Answers with the API's error answer, or closes the connection where the API has none. */
  public void fail(Throwable cause) {
    if (connection.takesFailure(this, cause)) {
      return;
    }
    AbstractResponse response = errorResponse(cause);
    if (response == null) {
      connection.closeFor("%s cannot be answered: %s".formatted(api().name, cause.getMessage()));
      answerNothing();
    } else {
      answer(response.data());
    }
  }

  private @Nullable AbstractResponse errorResponse(Throwable cause) {
    try {
      return received.body().getErrorResponse(0, cause);
    } catch (RuntimeException e) {
      return null; // it goes through lists of the request, and some may be null
    }
  }

  /** Closes the client's connection, for errors of requests that get no answer. */
  public void closeConnection(String why) {
    connection.closeFor(why);
  }

  /** The bytes of the whole frame. */
  public int sizeInBytes() {
    return received.sizeInBytes();
  }

  /**
   * The handler goes on with this request's memory after it has returned. Until {@link #tookIn} no
   * other request of the connection is started, so that they take effect in their order.
   */
  public void takesLonger() {
    takesLonger = true;
  }

  /** True from {@link #takesLonger} to {@link #tookIn}. */
  public boolean isTakingLonger() {
    return takesLonger;
  }

  void keep(InboundFrame frame) {
    keptFrame = frame;
  }

  /** The handler is through with the memory of a request that took longer. */
  public void tookIn() {
    takesLonger = false;
    InboundFrame frame = keptFrame;
    keptFrame = null;
    if (frame != null) {
      frame.release();
      connection.onTookIn();
    }
  }

  /**
   * Handles a request that was taken in before it was understood; {@code handling} may say again
   * that it takes longer.
   */
  public void resume(Runnable handling) {
    goOn(
        () -> {
          takesLonger = false;
          try {
            handling.run();
          } finally {
            if (!takesLonger) {
              tookIn();
            }
          }
        });
  }

  /** The answer is sent only if this is true then; else the connection is closed without it. */
  public void leavesOnlyWhile(BooleanSupplier condition) {
    mayLeave = condition;
  }

  boolean mayLeave() {
    return mayLeave.getAsBoolean();
  }

  /** Goes on with this request in a later event; what goes wrong there is its own failure. */
  public void goOn(Runnable step) {
    connection.goOn(this, step);
  }

  /** True once the client is gone. */
  public boolean isAbandoned() {
    return abandoned;
  }

  /** What to do when the client is gone before the answer: forget timers, leave waiting lists. */
  public void whenAbandoned(@Nullable Runnable action) {
    onAbandoned = action;
  }

  /** What to do once when this connection has ended; replaces what was to be done before. */
  public void whenConnectionEnds(Runnable action) {
    connection.whenEnded(action);
  }

  private void answerFrame(@Nullable OutboundFrame answer) {
    if (answered) {
      throw new IllegalStateException(header() + " was answered twice");
    }
    answered = true;
    onAbandoned = null;
    frame = answer;
    connection.onAnswered(this);
  }

  /** When its frame was whole, on the monotonic clock. */
  long startedNs() {
    return startedNs;
  }

  boolean isAnswered() {
    return answered;
  }

  @Nullable OutboundFrame frame() {
    return frame;
  }

  void abandon() {
    abandoned = true;
    Runnable action = onAbandoned;
    onAbandoned = null;
    if (action != null) {
      action.run();
    }
    OutboundFrame unsent = frame;
    frame = null;
    if (unsent != null) {
      unsent.release();
    }
  }
}
