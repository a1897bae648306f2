package dev.tidemark.broker;

import dev.tidemark.broker.metrics.RequestMetrics;
import dev.tidemark.env.Connection;
import dev.tidemark.env.InboundFrame;
import dev.tidemark.env.OutboundFrame;
import dev.tidemark.protocol.ReceivedRequest;
import java.util.ArrayDeque;
import org.apache.kafka.common.errors.InvalidRequestException;
import org.apache.kafka.common.errors.UnsupportedVersionException;
import org.apache.kafka.common.network.ClientInformation;
import org.apache.kafka.common.network.ListenerName;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.security.auth.KafkaPrincipal;
import org.apache.kafka.common.security.auth.SecurityProtocol;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A client's connection: starts its requests and sends the answers in the order of the requests.
 *
 * <p>Kafka takes one request of a connection at a time, and clients rely on what follows from it: a
 * request sees the effect of the one before. So do we, with one exception: Produce requests behind
 * Produce requests start at once, for they are appended in their order anyway and only their
 * acknowledgements wait.
 */
final class ClientConnection implements Connection.Listener, RequestOwner {
  private static final Logger LOG = LoggerFactory.getLogger(ClientConnection.class);

  /** Requests started and not answered; more of them wait in their frames. */
  private static final int MAX_STARTED = 64;

  /** Frames that wait in memory before the peer is no longer read from. */
  private static final int MAX_QUEUED = 8;

  private final Connection connection;
  private final HandlerRegistry handlers;
  private final RequestMetrics metrics;
  private final ClientMistakes mistakes;
  private final ArrayDeque<Request> started = new ArrayDeque<>();
  private final ArrayDeque<InboundFrame> queued = new ArrayDeque<>();
  private ClientContext client;
  private int startedOthers; // started requests that are not Produce
  private boolean paused;
  private boolean closed;
  private boolean draining;
  private boolean takingLonger;
  private Runnable whenEnded = () -> {};

  ClientConnection(
      Connection connection,
      HandlerRegistry handlers,
      RequestMetrics metrics,
      ClientMistakes mistakes) {
    this.mistakes = mistakes;
    this.connection = connection;
    this.handlers = handlers;
    this.metrics = metrics;
    this.client =
        new ClientContext(
            connection.id(),
            connection.remoteAddress(),
            connection.remotePort(),
            KafkaPrincipal.ANONYMOUS,
            new ListenerName(connection.listenerName()),
            SecurityProtocol.PLAINTEXT,
            ClientInformation.EMPTY);
  }

  @Override
  public ClientContext client() {
    return client;
  }

  @Override
  public void whenEnded(Runnable action) {
    whenEnded = action;
  }

  @Override
  public void clientSoftware(ClientInformation told) {
    client = client.withSoftware(told);
  }

  @Override
  public void onFrame(Connection from, InboundFrame frame) {
    if (closed) {
      frame.release();
    } else if (queued.isEmpty() && mayStart(frame)) {
      start(frame);
    } else {
      queued.add(frame);
      if (queued.size() >= MAX_QUEUED && !paused) {
        paused = true;
        connection.pauseReading(true);
      }
    }
  }

  private boolean mayStart(InboundFrame frame) {
    if (takingLonger) {
      return false;
    }
    if (started.isEmpty()) {
      return true;
    }
    boolean produce =
        frame.buffer().remaining() >= 2
            && frame.buffer().getShort(frame.buffer().position()) == ApiKeys.PRODUCE.id;
    return produce && startedOthers == 0 && started.size() < MAX_STARTED;
  }

  private void start(InboundFrame frame) {
    boolean kept = false;
    try {
      ReceivedRequest received = ReceivedRequest.parse(frame.buffer());
      Request request = new Request(received, this, metrics.nowNs());
      started.add(request);
      if (request.api() != ApiKeys.PRODUCE) {
        startedOthers++;
      }
      handle(request);
      if (request.isTakingLonger()) {
        kept = true;
        takingLonger = true;
        request.keep(frame);
      }
    } catch (InvalidRequestException | UnsupportedVersionException e) {
      closeFor(String.valueOf(e.getMessage()));
    } finally {
      if (!kept) {
        frame.release();
      }
    }
  }

  /** The request that took longer is in: those behind it may start. */
  @Override
  public void onTookIn() {
    takingLonger = false;
    drainOnce();
  }

  private void handle(Request request) {
    RequestHandler handler = handlers.handler(request.api());
    try {
      if (handler == null || !handlers.answers(request.api(), answeredVersion(request))) {
        request.fail(
            new UnsupportedVersionException(
                "this broker does not answer version %d of %s"
                    .formatted(request.version(), request.api().name)));
      } else {
        handler.handle(request);
      }
    } catch (RuntimeException e) {
      onHandlerFailure(request, e);
    }
  }

  private static short answeredVersion(Request request) {
    return request.unsupportedVersion() ? 0 : request.version();
  }

  @Override
  public void goOn(Request request, Runnable step) {
    try {
      step.run();
    } catch (RuntimeException e) {
      onHandlerFailure(request, e);
      if (request.isTakingLonger()) {
        request.tookIn();
      }
    }
  }

  private void onHandlerFailure(Request request, RuntimeException e) {
    if (!(e instanceof org.apache.kafka.common.errors.ApiException)
        && mistakes.mayTell(ClientMistakes.Kind.FAILED_REQUEST)) {
      LOG.error("{} from {} failed", request.header(), client.connectionId(), e);
    }
    if (!request.isAnswered()) {
      request.fail(e);
    }
  }

  /** Sends what is answered from the oldest on, then starts what has waited for it. */
  @Override
  public void onAnswered(Request request) {
    metrics.onAnswered(request.api(), request.startedNs());
    if (closed) {
      request.abandon();
    }
    drainOnce();
  }

  private void drainOnce() {
    if (draining) {
      return; // the loop below, further up in the stack, goes on
    }
    draining = true;
    try {
      drain();
    } finally {
      draining = false;
    }
  }

  private void drain() {
    while (!closed) {
      Request oldest = started.peek();
      if (oldest != null && oldest.isAnswered()) {
        sendOldest();
      } else if (!queued.isEmpty() && mayStart(queued.getFirst())) {
        start(queued.removeFirst());
      } else {
        break;
      }
    }
    if (closed) {
      started.forEach(Request::abandon);
      started.clear();
    } else if (paused && queued.size() <= MAX_QUEUED / 2) {
      paused = false;
      connection.pauseReading(false);
    }
  }

  private void sendOldest() {
    Request request = started.remove();
    if (request.api() != ApiKeys.PRODUCE) {
      startedOthers--;
    }
    OutboundFrame frame = request.frame();
    if (frame != null && request.mayLeave()) {
      connection.send(frame);
    } else if (frame != null) {
      request.abandon();
      closeFor("what is answered to its %s may hold no more".formatted(request.api().name));
    }
  }

  /** Closes the connection for a reason that is worth one line. */
  @Override
  public void closeFor(String why) {
    if (!closed) {
      if (mistakes.mayTell(ClientMistakes.Kind.BAD_REQUEST)) {
        LOG.info("Closing connection {} from {}: {}", client.connectionId(), client.address(), why);
      }
      onClosed(connection);
      connection.closeAfterSending(); // what was answered before still leaves
    }
  }

  @Override
  public void onDrained(Connection from) {
    // The transport bounds what waits in memory; nothing here depends on it.
  }

  @Override
  public void onClosed(Connection from) {
    if (closed) {
      return;
    }
    closed = true;
    queued.forEach(InboundFrame::release);
    queued.clear();
    if (!draining) {
      started.forEach(Request::abandon);
      started.clear();
    }
    whenEnded.run();
  }
}
