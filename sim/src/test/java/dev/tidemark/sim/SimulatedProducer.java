package dev.tidemark.sim;

import dev.tidemark.env.Connection;
import dev.tidemark.env.InboundFrame;
import dev.tidemark.env.OutboundFrame;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.apache.kafka.common.requests.AbstractRequest;
import org.apache.kafka.common.requests.AbstractResponse;
import org.apache.kafka.common.requests.MetadataRequest;
import org.apache.kafka.common.requests.ProduceRequest;
import org.apache.kafka.common.requests.ProduceResponse;
import org.apache.kafka.common.requests.RequestHeader;

/** A client that writes numbers, each once the one before is acknowledged; it connects again. */
final class SimulatedProducer implements VirtualNetwork.Attempt, Connection.Listener {
  private static final int RETRY_MS = 20;
  private static final short METADATA_VERSION = 9;
  private static final short PRODUCE_VERSION = 9;

  private final SimShard shard;
  private final VirtualNetwork network;
  private final String host;
  private final String topic;
  private final short acks;
  private final List<Long> offsets = new ArrayList<>();
  private RequestHeader asked;
  private boolean knowsTopic;
  private int correlation;

  SimulatedProducer(SimNode node, VirtualNetwork network, String host, String topic) {
    this(node, network, host, topic, (short) -1);
  }

  /** Writes to topic t of b1. */
  SimulatedProducer(SimNode node, VirtualNetwork network, short acks) {
    this(node, network, "b1", "t", acks);
  }

  private SimulatedProducer(
      SimNode node, VirtualNetwork network, String host, String topic, short acks) {
    this.acks = acks;
    this.shard = node.newShard("producer");
    this.network = network;
    this.host = host;
    this.topic = topic;
    connect();
  }

  /** The offset of each acknowledged number, from 0 on. */
  List<Long> offsets() {
    return offsets;
  }

  private void connect() {
    network.connect(shard, host, SimulatedBroker.PORT, this);
  }

  @Override
  public Connection.Listener onConnected(Connection connection) {
    askNext(connection);
    return this;
  }

  @Override
  public void onRefused() {
    var unused = shard.timers().schedule(RETRY_MS, this::connect);
  }

  @Override
  public void onClosed(Connection connection) {
    onRefused();
  }

  @Override
  public void onDrained(Connection connection) {}

  private void askNext(Connection connection) {
    AbstractRequest request = knowsTopic ? produce() : metadata();
    asked = new RequestHeader(request.apiKey(), request.version(), "sim", correlation++);
    ByteBuffer body = request.serializeWithHeader(asked);
    ByteBuffer frame =
        ByteBuffer.allocate(4 + body.remaining()).putInt(body.remaining()).put(body).flip();
    connection.send(OutboundFrame.of(List.of(new OutboundFrame.Bytes(frame))));
  }

  private AbstractRequest metadata() {
    MetadataRequestData data = new MetadataRequestData().setAllowAutoTopicCreation(true);
    data.topics().add(new MetadataRequestData.MetadataRequestTopic().setName(topic));
    return new MetadataRequest(data, METADATA_VERSION);
  }

  private AbstractRequest produce() {
    byte[] value = Integer.toString(offsets.size()).getBytes(StandardCharsets.UTF_8);
    MemoryRecords records =
        MemoryRecords.withRecords(
            Compression.NONE, new SimpleRecord(shard.clock().wallMs(), value));
    ProduceRequestData data = new ProduceRequestData().setAcks(acks).setTimeoutMs(1_000);
    data.topicData()
        .add(
            new ProduceRequestData.TopicProduceData()
                .setName(topic)
                .setPartitionData(
                    List.of(
                        new ProduceRequestData.PartitionProduceData()
                            .setIndex(0)
                            .setRecords(records))));
    return new ProduceRequest(data, PRODUCE_VERSION);
  }

  @Override
  public void onFrame(Connection connection, InboundFrame frame) {
    AbstractResponse response = AbstractResponse.parseResponse(frame.buffer(), asked);
    frame.release();
    if (response instanceof ProduceResponse produced) {
      var partition = produced.data().responses().iterator().next().partitionResponses().get(0);
      if (partition.errorCode() == Errors.NONE.code()) {
        offsets.add(partition.baseOffset());
      }
    } else {
      knowsTopic = true;
    }
    var unused = shard.timers().schedule(1, () -> askNext(connection));
  }
}
