package dev.tidemark.quorum;

import dev.tidemark.env.Connection;
import dev.tidemark.env.InboundFrame;
import dev.tidemark.protocol.ReceivedRequest;
import dev.tidemark.protocol.ResponseEncoder;
import java.util.ArrayDeque;
import org.apache.kafka.common.errors.InvalidRequestException;
import org.apache.kafka.common.errors.UnsupportedVersionException;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A peer's connection to the quorum on the control shard. It takes one request after the other, as
 * Kafka does, so answers leave in the order of the requests.
 */
public final class QuorumConnection implements Connection.Listener {
  private static final Logger LOG = LoggerFactory.getLogger(QuorumConnection.class);

  /** A peer has one request under way; who has so many is none. */
  private static final int MAX_WAITING = 100;

  private final RaftMetadataLog log;
  private final ArrayDeque<ReceivedRequest> waiting = new ArrayDeque<>();
  private boolean busy;
  private boolean closed;

  private QuorumConnection(RaftMetadataLog log) {
    this.log = log;
  }

  /** Answers with what {@code log} says. */
  public static Connection.Acceptor acceptor(RaftMetadataLog log) {
    return connection -> new QuorumConnection(log);
  }

  @Override
  public void onFrame(Connection from, InboundFrame frame) {
    try {
      if (!closed) {
        take(ReceivedRequest.parse(frame.buffer())); // no request of raft holds records
        takeNext(from);
      }
    } catch (InvalidRequestException | UnsupportedVersionException e) {
      LOG.info("Closing connection {}: {}", from.id(), e.getMessage());
      onClosed(from);
      from.closeAfterSending();
    } finally {
      frame.release();
    }
  }

  private void take(ReceivedRequest request) {
    ApiKeys api = request.header().apiKey();
    if (api != ApiKeys.API_VERSIONS && !RaftMetadataLog.handled().contains(api)) {
      throw new InvalidRequestException(api + " is no request to the quorum");
    }
    if (waiting.size() == MAX_WAITING) {
      throw new InvalidRequestException("more than " + MAX_WAITING + " requests wait");
    }
    waiting.add(request);
  }

  private void takeNext(Connection from) {
    while (!busy && !closed && !waiting.isEmpty()) {
      ReceivedRequest request = waiting.remove();
      busy = true;
      if (request.header().apiKey() == ApiKeys.API_VERSIONS) {
        answer(from, request, RaftApis.versions());
        continue;
      }
      log.handle(
          request.header().apiVersion(),
          request.body().data(),
          response -> answer(from, request, response));
    }
  }

  private void answer(Connection to, ReceivedRequest request, ApiMessage response) {
    if (closed) {
      return;
    }
    busy = false;
    to.send(
        ResponseEncoder.encode(
            request.header().apiKey(),
            request.header().apiVersion(),
            request.header().correlationId(),
            response));
    takeNext(to);
  }

  @Override
  public void onDrained(Connection to) {
    // What waits is bounded: a peer gets its next answer after it has sent its next request.
  }

  @Override
  public void onClosed(Connection from) {
    closed = true;
    waiting.clear();
  }
}
