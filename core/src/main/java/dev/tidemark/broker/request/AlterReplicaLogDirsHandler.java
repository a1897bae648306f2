package dev.tidemark.broker.request;

import dev.tidemark.broker.Request;
import dev.tidemark.broker.RequestHandler;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.kafka.common.message.AlterReplicaLogDirsRequestData;
import org.apache.kafka.common.message.AlterReplicaLogDirsRequestData.AlterReplicaLogDir;
import org.apache.kafka.common.message.AlterReplicaLogDirsRequestData.AlterReplicaLogDirTopic;
import org.apache.kafka.common.message.AlterReplicaLogDirsResponseData;
import org.apache.kafka.common.message.AlterReplicaLogDirsResponseData.AlterReplicaLogDirPartitionResult;
import org.apache.kafka.common.message.AlterReplicaLogDirsResponseData.AlterReplicaLogDirTopicResult;

/** AlterReplicaLogDirs: begins to move partitions to other data folders (KIP-113). */
public final class AlterReplicaLogDirsHandler implements RequestHandler {
  private final FolderMoves moves;

  public AlterReplicaLogDirsHandler(FolderMoves moves) {
    this.moves = moves;
  }

  @Override
  public void handle(Request request) {
    Map<String, AlterReplicaLogDirTopicResult> results = new LinkedHashMap<>();
    for (AlterReplicaLogDir dir : request.data(AlterReplicaLogDirsRequestData.class).dirs()) {
      for (AlterReplicaLogDirTopic topic : dir.topics()) {
        AlterReplicaLogDirTopicResult result =
            results.computeIfAbsent(
                topic.name(), name -> new AlterReplicaLogDirTopicResult().setTopicName(name));
        for (int partition : topic.partitions()) {
          result
              .partitions()
              .add(
                  new AlterReplicaLogDirPartitionResult()
                      .setPartitionIndex(partition)
                      .setErrorCode(moves.move(topic.name(), partition, dir.path()).code()));
        }
      }
    }
    AlterReplicaLogDirsResponseData response = new AlterReplicaLogDirsResponseData();
    response.results().addAll(results.values());
    request.answer(response);
  }
}
