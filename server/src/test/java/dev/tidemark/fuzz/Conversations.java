package dev.tidemark.fuzz;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatRequestData;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatResponseData;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchRequestData.FetchPartition;
import org.apache.kafka.common.message.FetchRequestData.FetchTopic;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.HeartbeatRequestData;
import org.apache.kafka.common.message.InitProducerIdRequestData;
import org.apache.kafka.common.message.InitProducerIdResponseData;
import org.apache.kafka.common.message.JoinGroupRequestData;
import org.apache.kafka.common.message.JoinGroupResponseData;
import org.apache.kafka.common.message.LeaveGroupRequestData;
import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.SyncGroupRequestData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;

/**
 * Clients that begin well: what they are told in the first answer stands in the frames that follow,
 * so that the broker has taken them in when it meets the spoiled ones.
 */
final class Conversations {
  private static final int GROUPS = 20;
  private static final String TOPIC = "fuzz-a";

  private final SplittableRandom random;

  Conversations(SplittableRandom random) {
    this.random = random;
  }

  /** Has the beginning of one of them, and gives the frames that would follow. */
  List<byte[]> begin(FuzzPeer peer) throws IOException {
    return switch (random.nextInt(4)) {
      case 0 -> classicMember(peer);
      case 1 -> consumerMember(peer);
      case 2 -> producer(peer);
      default -> fetchSession(peer);
    };
  }

  private List<byte[]> classicMember(FuzzPeer peer) throws IOException {
    short version = 3; // the last one that needs no member id to join
    String group = "talk-" + random.nextInt(GROUPS);
    JoinGroupRequestData join =
        new JoinGroupRequestData()
            .setGroupId(group)
            .setSessionTimeoutMs(6000)
            .setRebalanceTimeoutMs(1)
            .setProtocolType("consumer");
    join.protocols()
        .mustAdd(
            new JoinGroupRequestData.JoinGroupRequestProtocol()
                .setName("range")
                .setMetadata(new byte[random.nextInt(100)]));
    JoinGroupResponseData joined =
        new JoinGroupResponseData(
            answer(peer.ask(frame(ApiKeys.JOIN_GROUP, version, join)), 0), version);
    int generation = joined.generationId();
    String member = joined.memberId();
    return List.of(
        frame(
            ApiKeys.SYNC_GROUP,
            3,
            new SyncGroupRequestData()
                .setGroupId(group)
                .setGenerationId(generation)
                .setMemberId(member)
                .setAssignments(
                    List.of(
                        new SyncGroupRequestData.SyncGroupRequestAssignment()
                            .setMemberId(member)
                            .setAssignment(new byte[20])))),
        frame(
            ApiKeys.HEARTBEAT,
            3,
            new HeartbeatRequestData()
                .setGroupId(group)
                .setGenerationId(generation)
                .setMemberId(member)),
        frame(
            ApiKeys.OFFSET_COMMIT,
            8,
            new OffsetCommitRequestData()
                .setGroupId(group)
                .setGenerationIdOrMemberEpoch(generation)
                .setMemberId(member)
                .setTopics(
                    List.of(
                        new OffsetCommitRequestData.OffsetCommitRequestTopic()
                            .setName(TOPIC)
                            .setPartitions(
                                List.of(
                                    new OffsetCommitRequestData.OffsetCommitRequestPartition()
                                        .setPartitionIndex(0)
                                        .setCommittedOffset(1)))))),
        frame(
            ApiKeys.LEAVE_GROUP,
            2,
            new LeaveGroupRequestData().setGroupId(group).setMemberId(member)));
  }

  private List<byte[]> consumerMember(FuzzPeer peer) throws IOException {
    short version = 0;
    String group = "talk-consumer-" + random.nextInt(GROUPS);
    ConsumerGroupHeartbeatRequestData first =
        new ConsumerGroupHeartbeatRequestData()
            .setGroupId(group)
            .setMemberId("")
            .setMemberEpoch(0)
            .setRebalanceTimeoutMs(1000)
            .setSubscribedTopicNames(List.of(TOPIC))
            .setTopicPartitions(List.of());
    ConsumerGroupHeartbeatResponseData told =
        new ConsumerGroupHeartbeatResponseData(
            answer(peer.ask(frame(ApiKeys.CONSUMER_GROUP_HEARTBEAT, version, first)), 1), version);
    String member = told.memberId() == null ? "none" : told.memberId();
    List<byte[]> next = new ArrayList<>();
    for (int epoch : new int[] {told.memberEpoch(), told.memberEpoch() + 1, -1}) {
      next.add(
          frame(
              ApiKeys.CONSUMER_GROUP_HEARTBEAT,
              version,
              new ConsumerGroupHeartbeatRequestData()
                  .setGroupId(group)
                  .setMemberId(member)
                  .setMemberEpoch(epoch)));
    }
    return next;
  }

  private List<byte[]> producer(FuzzPeer peer) throws IOException {
    short version = 3;
    InitProducerIdResponseData told =
        new InitProducerIdResponseData(
            answer(
                peer.ask(
                    frame(
                        ApiKeys.INIT_PRODUCER_ID,
                        version,
                        new InitProducerIdRequestData()
                            .setTransactionalId(null)
                            .setTransactionTimeoutMs(1000))),
                1),
            version);
    List<byte[]> next = new ArrayList<>();
    for (int sequence = 0; sequence < 4; sequence++) {
      MemoryRecords records =
          MemoryRecords.withIdempotentRecords(
              random.nextBoolean() ? Compression.NONE : Compression.gzip().build(),
              told.producerId(),
              told.producerEpoch(),
              sequence,
              new SimpleRecord("x".getBytes(StandardCharsets.UTF_8)));
      ProduceRequestData.TopicProduceData topic =
          new ProduceRequestData.TopicProduceData().setName(TOPIC);
      topic
          .partitionData()
          .add(new ProduceRequestData.PartitionProduceData().setIndex(0).setRecords(records));
      ProduceRequestData produce = new ProduceRequestData().setAcks((short) -1).setTimeoutMs(1000);
      produce.topicData().add(topic);
      next.add(frame(ApiKeys.PRODUCE, 8, produce));
    }
    return next;
  }

  private List<byte[]> fetchSession(FuzzPeer peer) throws IOException {
    short version = 11;
    FetchResponseData told =
        new FetchResponseData(
            answer(peer.ask(frame(ApiKeys.FETCH, version, fetch(0, 0))), 0), version);
    List<byte[]> next = new ArrayList<>();
    for (int epoch = 1; epoch < 5; epoch++) {
      next.add(frame(ApiKeys.FETCH, version, fetch(told.sessionId(), epoch)));
    }
    return next;
  }

  private static FetchRequestData fetch(int sessionId, int epoch) {
    return new FetchRequestData()
        .setMaxWaitMs(1)
        .setMinBytes(1)
        .setMaxBytes(10_000)
        .setSessionId(sessionId)
        .setSessionEpoch(epoch)
        .setTopics(
            List.of(
                new FetchTopic()
                    .setTopic(TOPIC)
                    .setPartitions(
                        List.of(new FetchPartition().setPartition(0).setPartitionMaxBytes(1000)))));
  }

  private static byte[] frame(ApiKeys api, int version, ApiMessage request) {
    return FrameCorpus.frame(api, (short) version, request);
  }

  /** The body of an answer, behind its correlation id and the empty tagged fields of version 1. */
  private static ByteBufferAccessor answer(ByteBuffer frame, int headerVersion) {
    return new ByteBufferAccessor(frame.position(Integer.BYTES + headerVersion));
  }
}
