package dev.tidemark.protocol;

import dev.tidemark.env.Connection;
import dev.tidemark.env.Dialer;
import dev.tidemark.env.InboundFrame;
import dev.tidemark.env.OutboundFrame;
import dev.tidemark.env.Timers;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.AbstractResponse;
import org.apache.kafka.common.requests.ResponseHeader;
import org.jspecify.annotations.Nullable;

/**
 * This node's requests to another node, over one connection that is opened with the first request
 * and again with the next one after it was lost. Answers come in the order of the requests, so one
 * that is late holds up all behind it: with its time-out the connection ends, and all fail. Owned
 * by one shard.
 */
public final class PeerConnection implements AutoCloseable {
  private final Dialer dialer;
  private final Timers timers;
  private final String clientId;
  private final String host;
  private final int port;
  private final ArrayDeque<Sent> unanswered = new ArrayDeque<>();
  private @Nullable Line line;
  private Runnable whenLost = () -> {};
  private int correlationId;
  private boolean closed;

  /** Why a request has no answer; whether the peer carried it out is not known. */
  public enum Failure {
    /** No process serves that port. */
    REFUSED,
    /** The host was not reached. */
    UNREACHABLE,
    /** The connection ended before the answer came. */
    DISCONNECTED,
    /** The answer did not come in time. */
    TIMED_OUT,
    /** What came is no answer to the request. */
    UNREADABLE;

    /** Kafka's word for it. */
    public Errors error() {
      return this == TIMED_OUT ? Errors.REQUEST_TIMED_OUT : Errors.NETWORK_EXCEPTION;
    }
  }

  /** The end of one request. Exactly one of the methods is called, never within the request. */
  public interface Answer {
    /** What the peer said. Records in it lie in memory that is valid during this call only. */
    void onResponse(ApiMessage response);

    void onFailed(Failure failure);
  }

  /** A connection to come, to be opened when it is needed. */
  public PeerConnection(Dialer dialer, Timers timers, String clientId, String host, int port) {
    this.dialer = dialer;
    this.timers = timers;
    this.clientId = clientId;
    this.host = host;
    this.port = port;
  }

  /**
   * What to do when a connection that stood has ended, also when no request was under way; not when
   * it is closed here. What has failed with it was told before.
   */
  public void whenLost(Runnable action) {
    whenLost = action;
  }

  /** How many requests wait for their answers. */
  public int unanswered() {
    return unanswered.size();
  }

  /**
   * Sends a request in one version of its API.
   *
   * @param timeoutMs from now on, at least 1
   */
  public void send(ApiKeys api, short version, ApiMessage request, long timeoutMs, Answer answer) {
    if (closed) {
      throw new IllegalStateException("The connection to " + host + ":" + port + " is closed");
    }
    int id = correlationId++;
    OutboundFrame frame = RequestEncoder.encode(api, version, id, clientId, request);
    Sent sent = new Sent(id, api, version, frame, answer);
    unanswered.add(sent);
    sent.timer = timers.schedule(timeoutMs, () -> onTimedOut(sent));
    Line current = line;
    if (current == null) {
      line = new Line();
      dialer.connect(host, port, timeoutMs, line);
    } else {
      current.send(sent);
    }
  }

  /** Ends the connection. What has no answer yet gets none. */
  @Override
  public void close() {
    closed = true;
    for (Sent sent : takeUnanswered()) {
      sent.cancelTimer();
    }
    hangUp();
  }

  /** The same, but those who wait for an answer are told first that it is disconnected. */
  public void failAndClose() {
    closed = true;
    whenLost = () -> {};
    failAll(Failure.DISCONNECTED);
  }

  private void hangUp() {
    Line current = line;
    line = null;
    if (current != null) {
      current.end();
    }
  }

  private List<Sent> takeUnanswered() {
    List<Sent> all = new ArrayList<>(unanswered);
    unanswered.clear();
    return all;
  }

  private void onTimedOut(Sent late) {
    if (unanswered.contains(late)) {
      failAll(Failure.TIMED_OUT);
    }
  }

  /** Ends the connection first, so that a request made from a failure's callback opens another. */
  private void failAll(Failure failure) {
    List<Sent> failed = takeUnanswered();
    boolean stood = line != null && line.stood;
    hangUp();
    for (Sent sent : failed) {
      sent.cancelTimer();
    }
    for (Sent sent : failed) {
      sent.answer.onFailed(failure);
    }
    if (stood) {
      whenLost.run();
    }
  }

  private void onAnswer(ByteBuffer frame) {
    Sent sent = unanswered.peek();
    ApiMessage response = sent == null ? null : parse(sent, frame);
    if (sent == null || response == null) {
      failAll(Failure.UNREADABLE);
      return;
    }
    unanswered.remove();
    sent.cancelTimer();
    sent.answer.onResponse(response);
  }

  private static @Nullable ApiMessage parse(Sent sent, ByteBuffer frame) {
    try {
      short headerVersion = sent.api.responseHeaderVersion(sent.version);
      if (ResponseHeader.parse(frame, headerVersion).correlationId() != sent.correlationId) {
        return null;
      }
      return AbstractResponse.parseResponse(sent.api, new ByteBufferAccessor(frame), sent.version)
          .data();
    } catch (RuntimeException e) { // Kafka's generated readers throw what the byte brings about
      return null;
    }
  }

  /** A request on its way. */
  private static final class Sent {
    private final int correlationId;
    private final ApiKeys api;
    private final short version;
    private final OutboundFrame frame;
    private final Answer answer;
    private Timers.@Nullable Timer timer;

    Sent(int correlationId, ApiKeys api, short version, OutboundFrame frame, Answer answer) {
      this.correlationId = correlationId;
      this.api = api;
      this.version = version;
      this.frame = frame;
      this.answer = answer;
    }

    void cancelTimer() {
      if (timer != null) {
        timer.cancel();
      }
    }
  }

  /** One connection, from the attempt on; deaf once it is not the current one any more. */
  private final class Line implements Dialer.Attempt, Connection.Listener {
    private @Nullable Connection connection;
    private boolean stood;

    void send(Sent sent) {
      if (connection != null) {
        connection.send(sent.frame); // else it leaves once the connection stands
      }
    }

    void end() {
      if (connection != null) {
        connection.close();
      }
    }

    private boolean isCurrent() {
      return line == this;
    }

    @Override
    public Connection.Listener onConnected(Connection opened) {
      connection = opened;
      stood = true;
      if (isCurrent()) {
        unanswered.forEach(this::send);
      } else {
        opened.close();
      }
      return this;
    }

    @Override
    public void onRefused() {
      lost(Failure.REFUSED);
    }

    @Override
    public void onUnreachable(String why) {
      lost(Failure.UNREACHABLE);
    }

    private void lost(Failure failure) {
      if (isCurrent()) {
        failAll(failure);
      }
    }

    @Override
    public void onFrame(Connection from, InboundFrame frame) {
      try {
        if (isCurrent()) {
          onAnswer(frame.buffer());
        }
      } finally {
        frame.release();
      }
    }

    @Override
    public void onDrained(Connection from) {
      // Requests are small, and few are under way.
    }

    @Override
    public void onClosed(Connection from) {
      connection = null;
      lost(Failure.DISCONNECTED);
    }
  }
}
