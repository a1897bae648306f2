package dev.tidemark.replica.fetch;

import dev.tidemark.log.PartitionLog;
import dev.tidemark.protocol.ResponseEncoder;
import dev.tidemark.replica.PartitionLeader;
import dev.tidemark.sim.FrameBytes;
import dev.tidemark.sim.VirtualTimers;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.ResponseHeaderData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.protocol.MessageUtil;

/** Carries fetches to a session at the leader, as bytes, and takes a while each way. */
final class Wire implements LeaderConnection {
  static final long LATENCY_MS = 1;
  private static final short VERSION = ApiKeys.FETCH.latestVersion();

  private final TwoBrokers brokers;
  private final ServedSession session;
  private final VirtualTimers timers;
  final List<FetchRequestData> requests = new ArrayList<>();
  final List<FetchResponseData> responses = new ArrayList<>();
  boolean cut;

  /** What every way takes longer than usual. */
  long delayMs;

  Wire(TwoBrokers brokers, ServedSession session) {
    this.brokers = brokers;
    this.session = session;
    this.timers = brokers.timers;
  }

  @Override
  public void fetch(FetchRequestData request, FetchReply reply) {
    requests.add(request);
    FetchRequestData sent =
        new FetchRequestData(MessageUtil.toByteBufferAccessor(request, VERSION), VERSION);
    timers.schedule(LATENCY_MS, () -> session.onFetch(sent, response -> sendBack(response, reply)));
  }

  private void sendBack(FetchResponseData response, FetchReply reply) {
    ByteBuffer frame = FrameBytes.take(ResponseEncoder.encode(ApiKeys.FETCH, VERSION, 1, response));
    ByteBufferAccessor body = new ByteBufferAccessor(frame.position(Integer.BYTES));
    new ResponseHeaderData(body, ApiKeys.FETCH.responseHeaderVersion(VERSION));
    FetchResponseData received = new FetchResponseData(body, VERSION);
    responses.add(received);
    timers.schedule(
        LATENCY_MS + delayMs,
        () -> {
          if (!cut) {
            reply.onReply(Errors.NONE, received);
          }
        });
  }

  @Override
  public void askOffsets(OffsetsQuestion question, OffsetsReply reply) {
    PartitionLeader leader = brokers.leaders.get(question.id().partition());
    PartitionLog log = leader.log();
    timers.schedule(
        2 * LATENCY_MS, () -> reply.onReply(Errors.NONE, log.logStartOffset(), log.logEndOffset()));
  }

  @Override
  public void drop() {
    session.close();
  }
}
