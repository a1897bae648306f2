package dev.tidemark.broker.request;

import dev.tidemark.broker.Partitions;
import dev.tidemark.broker.Request;
import dev.tidemark.env.Shard;
import dev.tidemark.log.AppendResult;
import dev.tidemark.log.ClientBatch;
import dev.tidemark.log.RefusedAppend;
import dev.tidemark.protocol.InflationBudget;
import dev.tidemark.protocol.ReceivedRequest;
import dev.tidemark.replica.PartitionLeader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.Iterator;
import java.util.Set;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.internals.Topic;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.ProduceRequestData.PartitionProduceData;
import org.apache.kafka.common.message.ProduceRequestData.TopicProduceData;
import org.apache.kafka.common.message.ProduceResponseData.BatchIndexAndErrorMessage;
import org.apache.kafka.common.message.ProduceResponseData.PartitionProduceResponse;
import org.apache.kafka.common.protocol.Errors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The batches of one Produce request on their way into the logs, one after the other. Where one
 * takes long to check, because it inflates far or changes its codec, that is done in the background
 * and the others of this request, and of this connection, wait for it; nobody else does.
 */
final class ProduceRun {
  private static final Logger LOG = LoggerFactory.getLogger(ProduceRun.class);
  private static final short FIRST_VERSION_WITH_ZSTD = 7;
  private static final short FIRST_VERSION_WITH_TOPIC_ID = 13;
  private static final String ADMIN_CLIENT_ID = "__admin_client";

  /** One queue: of all that is to be checked in the background, one batch is at a time. */
  private static final String VALIDATION = "validation";

  /** Errors with which Kafka does not tell where the log starts. */
  private static final Set<Errors> WITHOUT_LOG_START =
      EnumSet.of(Errors.CORRUPT_MESSAGE, Errors.MESSAGE_TOO_LARGE, Errors.RECORD_LIST_TOO_LARGE);

  // How far a request's batches may inflate on the shard: some milliseconds at most.
  private static final int SHARD_GROWTH = 16;
  private static final long SHARD_AT_LEAST_BYTES = 256 << 10;
  private static final long SHARD_AT_MOST_BYTES = 4 << 20;

  private final Request request;
  private final ProduceAnswer answer;
  private final Partitions partitions;
  private final Shard shard;
  private final RefusedSequences refusedSequences;
  private final InflationBudget onShard;
  private final InflationBudget inBackground;
  private final Iterator<TopicProduceData> topics;

  private TopicProduceData topic = new TopicProduceData();
  private @Nullable String topicName;
  private int next; // of the topic's partitions
  private Set<Integer> seen = Set.of();
  private Object topicKey = ""; // its name or id
  private @Nullable ByteBuffer records; // of the partition it is at
  private int recordsAt;

  ProduceRun(
      Request request,
      ProduceAnswer answer,
      Partitions partitions,
      Shard shard,
      RefusedSequences refusedSequences) {
    this.request = request;
    this.answer = answer;
    this.partitions = partitions;
    this.shard = shard;
    this.refusedSequences = refusedSequences;
    this.topics = request.data(ProduceRequestData.class).topicData().iterator();
    int requestBytes = request.sizeInBytes();
    this.inBackground = InflationBudget.ofRequest(requestBytes);
    this.onShard =
        InflationBudget.of(
            Math.min(
                SHARD_AT_MOST_BYTES,
                Math.max(SHARD_AT_LEAST_BYTES, (long) requestBytes * SHARD_GROWTH)));
  }

  /** Appends until all is done, or until a batch is on its way through the background. */
  void proceed() {
    while (next < topic.partitionData().size() || nextTopic()) {
      if (next < topic.partitionData().size() && !take(topic.partitionData().get(next++))) {
        return;
      }
    }
    answer.allAppended();
    if (request.isTakingLonger()) {
      request.tookIn();
    }
  }

  private boolean nextTopic() {
    if (!topics.hasNext()) {
      return false;
    }
    topic = topics.next();
    next = 0;
    seen = topic.partitionData().size() > 1 ? new HashSet<>() : Set.of();
    boolean byId = request.version() >= FIRST_VERSION_WITH_TOPIC_ID;
    topicKey = byId ? topic.topicId() : topic.name();
    topicName = byId ? partitions.topicName(topic.topicId()) : topic.name();
    answer.nextTopic(topic.name(), topic.topicId());
    return true;
  }

  /** False when the batch is checked in the background; it goes on by itself then. */
  private boolean take(PartitionProduceData produced) {
    PartitionProduceResponse response = answer.nextPartition(produced.index());
    records = ReceivedRequest.recordsOf(produced);
    recordsAt = records == null ? 0 : records.position();
    String name = topicName;
    if (name == null) {
      mayComeAgain(response);
      return refused(response, Errors.UNKNOWN_TOPIC_ID, "no topic has the id " + topic.topicId());
    }
    if (topic.partitionData().size() > 1 && !seen.add(produced.index())) {
      return refused(
          response, Errors.INVALID_REQUEST, "the request names this partition more than once");
    }
    PartitionLeader partition =
        Uuid.ZERO_UUID.equals(topic.topicId())
            ? partitions.serving(name, produced.index())
            : partitions.serving(topic.topicId(), produced.index());
    if (partition == null || partition.isStopped()) {
      mayComeAgain(response);
      return refused(
          response,
          partitions.missing(name, produced.index()),
          partitions.whyMissing(name, produced.index()));
    }
    if (Topic.isInternal(name) && !ADMIN_CLIENT_ID.equals(request.header().clientId())) {
      return refused(response, Errors.INVALID_TOPIC_EXCEPTION, "clients may not write to " + name);
    }
    if (records == null) {
      partition.produced(false);
      fail(response, Errors.INVALID_RECORD, "the request holds no records for this partition");
      return true;
    }
    if (request.version() < FIRST_VERSION_WITH_ZSTD && ReceivedRequest.isZstd(records)) {
      partition.produced(false);
      fail(
          response,
          Errors.UNSUPPORTED_COMPRESSION_TYPE,
          "zstd needs version 7 of Produce: readers as old as this client could not read it");
      return true;
    }
    if (refusedSequences.lacksEarlier(
        topicKey, produced.index(), records, recordsAt, partition.log())) {
      onRefused(partition, lacksEarlier(partition), response);
      return true;
    }
    return append(partition, records, response);
  }

  private static RefusedAppend lacksEarlier(PartitionLeader partition) {
    return new RefusedAppend(
        Errors.OUT_OF_ORDER_SEQUENCE_NUMBER,
        "An earlier batch of this producer for "
            + partition.log().id()
            + " was refused and has not come again.");
  }

  private void mayComeAgain(PartitionProduceResponse response) {
    refusedSequences.refused(topicKey, response.index(), records, recordsAt);
  }

  private boolean append(
      PartitionLeader partition, ByteBuffer bytes, PartitionProduceResponse response) {
    ClientBatch batch = partition.log().clientBatch(bytes);
    try {
      if (!partition.log().checkIfSmall(batch, onShard)) {
        checkInBackground(partition, batch, response);
        return false;
      }
      append(partition, batch, response);
    } catch (RefusedAppend refused) {
      onRefused(partition, refused, response);
    } catch (IOException e) {
      onFailed(partition, e, response);
    }
    return true;
  }

  private void checkInBackground(
      PartitionLeader partition, ClientBatch batch, PartitionProduceResponse response) {
    request.takesLonger();
    long wallMs = shard.clock().wallMs();
    shard
        .background()
        .run(
            VALIDATION,
            () -> {
              try {
                batch.check(inBackground, wallMs);
                return Checked.GOOD;
              } catch (RefusedAppend refused) {
                return new Checked(refused);
              }
            },
            (result, failure) ->
                request.goOn(() -> onChecked(partition, batch, response, result, failure)));
  }

  private void onChecked(
      PartitionLeader partition,
      ClientBatch batch,
      PartitionProduceResponse response,
      @Nullable Checked result,
      @Nullable Throwable failure) {
    if (request.isAbandoned()) {
      request.tookIn(); // the client is gone, and with it what it has not been told of
      return;
    }
    try {
      if (result == null) {
        LOG.error("A batch for {} could not be checked", partition.log().id(), failure);
        partition.produced(false);
        fail(response, Errors.UNKNOWN_SERVER_ERROR, "the batch could not be checked");
      } else if (result.refused() != null) {
        throw result.refused();
      } else if (partition.isStopped()) {
        mayComeAgain(response);
        partition.produced(false);
        fail(
            response,
            Errors.NOT_LEADER_OR_FOLLOWER,
            partition.log().id() + " is not served by this broker any more");
      } else {
        append(partition, batch, response);
      }
    } catch (RefusedAppend refused) {
      onRefused(partition, refused, response);
    } catch (IOException e) {
      onFailed(partition, e, response);
    }
    proceed();
  }

  /** What the background found. */
  private record Checked(@Nullable RefusedAppend refused) {
    static final Checked GOOD = new Checked(null);
  }

  private void append(
      PartitionLeader partition, ClientBatch batch, PartitionProduceResponse response)
      throws RefusedAppend, IOException {
    AppendResult result =
        answer.isForAll() ? partition.appendForAll(batch) : partition.append(batch);
    response
        .setBaseOffset(result.baseOffset())
        .setLogAppendTimeMs(result.logAppendTimeMs())
        .setLogStartOffset(result.logStartOffset());
    refusedSequences.appended(topicKey, response.index(), records, recordsAt);
    partition.produced(true);
    answer.appended(partition, result.lastOffset() + 1, response);
  }

  private void onRefused(
      PartitionLeader partition, RefusedAppend refused, PartitionProduceResponse response) {
    mayComeAgain(response);
    partition.produced(false);
    fail(response, refused.error(), refused.getMessage());
    if (!WITHOUT_LOG_START.contains(refused.error())) {
      response.setLogStartOffset(partition.log().logStartOffset());
    }
    for (RefusedAppend.RecordError error : refused.recordErrors()) {
      response
          .recordErrors()
          .add(
              new BatchIndexAndErrorMessage()
                  .setBatchIndex(error.batchIndex())
                  .setBatchIndexErrorMessage(error.message()));
    }
  }

  private void onFailed(
      PartitionLeader partition, IOException e, PartitionProduceResponse response) {
    mayComeAgain(response);
    partition.produced(false);
    fail(response, Errors.KAFKA_STORAGE_ERROR, "the write failed: " + e.getMessage());
  }

  private boolean refused(PartitionProduceResponse response, Errors error, String message) {
    partitions.traffic().produced(false);
    fail(response, error, message);
    return true;
  }

  private static void fail(
      PartitionProduceResponse response, Errors error, @Nullable String message) {
    response
        .setErrorCode(error.code())
        .setErrorMessage(message)
        .setBaseOffset(-1)
        .setLogAppendTimeMs(-1)
        .setLogStartOffset(-1);
  }
}
