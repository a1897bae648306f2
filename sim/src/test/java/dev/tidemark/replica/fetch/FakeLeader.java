package dev.tidemark.replica.fetch;

import dev.tidemark.env.FileSlice;
import dev.tidemark.log.LogRead;
import dev.tidemark.protocol.FetchedPartitionData;
import dev.tidemark.replica.FollowerAnswer;
import dev.tidemark.replica.FollowerFetch;
import dev.tidemark.replica.PartitionLeader;
import dev.tidemark.replica.StoredRecord;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchRequestData.FetchPartition;
import org.apache.kafka.common.message.FetchRequestData.FetchTopic;
import org.apache.kafka.common.message.FetchRequestData.ForgottenTopic;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.FetchResponseData.EpochEndOffset;
import org.apache.kafka.common.message.FetchResponseData.FetchableTopicResponse;
import org.apache.kafka.common.message.FetchResponseData.PartitionData;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;

/** A broker that leads partitions of one topic and keeps one fetch session. */
final class FakeLeader implements LeaderConnection {
  private record Fetch(FetchRequestData request, FetchReply reply) {}

  private record Question(OffsetsQuestion question, OffsetsReply reply) {}

  private final Map<Integer, PartitionLeader> leaders;
  final List<FetchRequestData> requests = new ArrayList<>();
  final ArrayDeque<Fetch> fetches = new ArrayDeque<>();
  final ArrayDeque<Question> questions = new ArrayDeque<>();
  private final Uuid topicId;
  private final Map<Integer, FetchPartition> session = new TreeMap<>();
  private final Map<Integer, Long> toldHighWatermarks = new TreeMap<>();
  private int sessionId;
  private int sessionEpoch;
  boolean grantsSessions = true;
  int drops;

  FakeLeader(Uuid topicId, Map<Integer, PartitionLeader> leaders) {
    this.topicId = topicId;
    this.leaders = leaders;
  }

  @Override
  public void fetch(FetchRequestData request, FetchReply reply) {
    requests.add(request);
    fetches.add(new Fetch(request, reply));
  }

  @Override
  public void askOffsets(OffsetsQuestion question, OffsetsReply reply) {
    questions.add(new Question(question, reply));
  }

  @Override
  public void drop() {
    drops++;
  }

  FetchRequestData last() {
    return requests.get(requests.size() - 1);
  }

  /** The partitions that the last request names. */
  List<Integer> named() {
    return last().topics().stream()
        .flatMap(topic -> topic.partitions().stream())
        .map(FetchPartition::partition)
        .toList();
  }

  /** The partitions that the last request takes out of the session. */
  List<Integer> forgotten() {
    return last().forgottenTopicsData().stream()
        .flatMap(topic -> topic.partitions().stream())
        .toList();
  }

  void forgetSession() {
    sessionId = 0;
  }

  /** Answers the oldest fetch as a broker does. */
  void answer() throws Exception {
    Fetch next = fetches.remove();
    next.reply().onReply(Errors.NONE, respond(next.request()));
  }

  void fail(Errors transport) {
    fetches.remove().reply().onReply(transport, null);
  }

  void answerOffsets() {
    Question next = questions.remove();
    PartitionLeader leader = leaders.get(next.question().id().partition());
    next.reply().onReply(Errors.NONE, leader.log().logStartOffset(), leader.log().logEndOffset());
  }

  private FetchResponseData respond(FetchRequestData request) throws Exception {
    if (request.sessionEpoch() == 0) {
      session.clear();
      sessionId = grantsSessions ? sessionId + 1000 : 0;
      sessionEpoch = 0;
    } else if (request.sessionId() != sessionId) {
      return failed(Errors.FETCH_SESSION_ID_NOT_FOUND);
    } else if (request.sessionEpoch() != sessionEpoch) {
      return failed(Errors.INVALID_FETCH_SESSION_EPOCH);
    }
    sessionEpoch++;
    for (ForgottenTopic topic : request.forgottenTopicsData()) {
      topic.partitions().forEach(session::remove);
    }
    for (FetchTopic topic : request.topics()) {
      topic.partitions().forEach(partition -> session.put(partition.partition(), partition));
    }
    FetchResponseData response = new FetchResponseData().setSessionId(sessionId);
    FetchableTopicResponse topic = new FetchableTopicResponse().setTopicId(topicId);
    for (FetchPartition wanted : session.values()) {
      PartitionData data = read(request, wanted);
      Long told = toldHighWatermarks.put(wanted.partition(), data.highWatermark());
      boolean news =
          data.errorCode() != 0
              || data.divergingEpoch().epoch() >= 0
              || FetchedPartitionData.recordsOf(data) != null
              || told == null
              || told != data.highWatermark();
      if (news) {
        topic.partitions().add(data);
      }
    }
    response.responses().add(topic);
    return response;
  }

  private static FetchResponseData failed(Errors error) {
    return new FetchResponseData().setErrorCode(error.code());
  }

  private PartitionData read(FetchRequestData request, FetchPartition wanted) throws Exception {
    FollowerAnswer answer =
        leaders
            .get(wanted.partition())
            .fetch(
                new FollowerFetch(
                    request.replicaState().replicaId(),
                    request.replicaState().replicaEpoch(),
                    wanted.currentLeaderEpoch(),
                    wanted.fetchOffset(),
                    wanted.lastFetchedEpoch(),
                    wanted.logStartOffset(),
                    wanted.highWatermark(),
                    wanted.partitionMaxBytes(),
                    true));
    PartitionData data =
        new PartitionData()
            .setPartitionIndex(wanted.partition())
            .setErrorCode(answer.error().code())
            .setHighWatermark(answer.highWatermark())
            .setLogStartOffset(answer.logStartOffset());
    if (answer.diverging() != null) {
      data.setDivergingEpoch(
          new EpochEndOffset()
              .setEpoch(answer.diverging().epoch())
              .setEndOffset(answer.diverging().endOffsetExclusive()));
    }
    LogRead read = answer.read();
    FileSlice slice = read == null ? null : read.slice();
    if (slice != null) {
      data.setRecords(MemoryRecords.readableRecords(StoredRecord.bytes(slice)));
    }
    return FetchedPartitionData.withLogEndOffset(data, answer.logEndOffset());
  }
}
