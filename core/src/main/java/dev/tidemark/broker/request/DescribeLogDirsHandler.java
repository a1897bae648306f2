package dev.tidemark.broker.request;

import dev.tidemark.broker.Partitions;
import dev.tidemark.broker.Request;
import dev.tidemark.broker.RequestHandler;
import dev.tidemark.env.Timers;
import dev.tidemark.log.LogId;
import dev.tidemark.replica.PartitionReplica;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.message.DescribeLogDirsRequestData;
import org.apache.kafka.common.message.DescribeLogDirsRequestData.DescribableLogDirTopic;
import org.apache.kafka.common.message.DescribeLogDirsResponseData;
import org.apache.kafka.common.message.DescribeLogDirsResponseData.DescribeLogDirsPartition;
import org.apache.kafka.common.message.DescribeLogDirsResponseData.DescribeLogDirsResult;
import org.apache.kafka.common.message.DescribeLogDirsResponseData.DescribeLogDirsTopic;
import org.apache.kafka.common.protocol.Errors;
import org.jspecify.annotations.Nullable;

/**
 * DescribeLogDirs: the data folders, the room on their volumes, and the sizes of the partitions in
 * them (KIP-113, KIP-827). The volumes are asked in the background.
 */
public final class DescribeLogDirsHandler implements RequestHandler {
  private final Partitions partitions;
  private final Supplier<List<LogDir>> dirs;
  private final FolderMoves moves;
  private final Timers timers;

  public DescribeLogDirsHandler(
      Partitions partitions, Supplier<List<LogDir>> dirs, FolderMoves moves, Timers timers) {
    this.moves = moves;
    this.partitions = partitions;
    this.dirs = dirs;
    this.timers = timers;
  }

  @Override
  public void handle(Request request) {
    Set<TopicPartition> asked = asked(request.data(DescribeLogDirsRequestData.class));
    List<LogDir> all = dirs.get();
    DescribeLogDirsResponseData response = new DescribeLogDirsResponseData();
    for (LogDir dir : all) {
      DescribeLogDirsResult result = new DescribeLogDirsResult().setLogDir(dir.directory().path());
      if (dir.online()) {
        result.setTopics(topics(dir, asked));
      } else {
        result.setErrorCode(Errors.KAFKA_STORAGE_ERROR.code());
      }
      response.results().add(result);
    }
    VolumeQuestions questions = new VolumeQuestions(timers, () -> request.answer(response));
    for (int i = 0; i < all.size(); i++) {
      questions.ask(all.get(i), response.results().get(i));
    }
    questions.allAsked();
  }

  /** Null stands for every partition. */
  private static @Nullable Set<TopicPartition> asked(DescribeLogDirsRequestData data) {
    if (data.topics() == null) {
      return null;
    }
    Set<TopicPartition> asked = new HashSet<>();
    for (DescribableLogDirTopic topic : data.topics()) {
      topic.partitions().forEach(index -> asked.add(new TopicPartition(topic.topic(), index)));
    }
    return asked;
  }

  private List<DescribeLogDirsTopic> topics(LogDir dir, @Nullable Set<TopicPartition> asked) {
    List<DescribeLogDirsTopic> topics = new ArrayList<>();
    partitions.forEach(
        partition -> {
          LogId id = partition.log().id();
          boolean wanted =
              asked == null || asked.contains(new TopicPartition(id.topic(), id.partition()));
          if (wanted && dir.holds().test(id)) {
            lastOf(topics, id.topic()).partitions().add(describe(partition));
          }
        });
    for (FolderMoves.FutureReplica future : moves.underWay()) {
      TopicPartition key = new TopicPartition(future.topic(), future.partition());
      if (future.path().equals(dir.directory().path()) && (asked == null || asked.contains(key))) {
        lastOf(topics, future.topic()).partitions().add(describe(future));
      }
    }
    return topics;
  }

  private static DescribeLogDirsPartition describe(FolderMoves.FutureReplica future) {
    return new DescribeLogDirsPartition()
        .setPartitionIndex(future.partition())
        .setPartitionSize(future.sizeInBytes())
        .setOffsetLag(future.offsetLag())
        .setIsFutureKey(true);
  }

  /** Partitions come by topic. */
  private static DescribeLogDirsTopic lastOf(List<DescribeLogDirsTopic> topics, String name) {
    if (topics.isEmpty() || !topics.get(topics.size() - 1).name().equals(name)) {
      topics.add(new DescribeLogDirsTopic().setName(name));
    }
    return topics.get(topics.size() - 1);
  }

  private static DescribeLogDirsPartition describe(PartitionReplica partition) {
    return new DescribeLogDirsPartition()
        .setPartitionIndex(partition.log().id().partition())
        .setPartitionSize(partition.log().sizeInBytes())
        .setOffsetLag(Math.max(0, partition.highWatermark() - partition.log().logEndOffset()))
        .setIsFutureKey(false);
  }
}
