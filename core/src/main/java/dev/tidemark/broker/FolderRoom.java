package dev.tidemark.broker;

import dev.tidemark.broker.request.LogDir;
import dev.tidemark.broker.request.RoomForPartitions;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.apache.kafka.common.errors.KafkaStorageException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks the volumes of the data folders for room, all at once; the first that has some is enough.
 */
final class FolderRoom implements RoomForPartitions {
  private static final Logger LOG = LoggerFactory.getLogger(FolderRoom.class);

  private final int nodeId;
  private final Supplier<List<LogDir>> dirs;
  private final Runnable whenFailed;

  /** {@code whenFailed} is called when no folder answers: they may be gone. */
  FolderRoom(int nodeId, Supplier<List<LogDir>> dirs, Runnable whenFailed) {
    this.nodeId = nodeId;
    this.dirs = dirs;
    this.whenFailed = whenFailed;
  }

  @Override
  public void check(Runnable ifSo, Consumer<KafkaStorageException> ifNot) {
    List<LogDir> online = dirs.get().stream().filter(LogDir::online).toList();
    Answers answers = new Answers(online.size(), ifSo, ifNot);
    for (LogDir dir : online) {
      dir.work()
          .run(
              "room",
              () -> {
                FolderProbe.requireRoom(dir.directory());
                return dir;
              },
              (found, failure) -> answers.add(failure));
    }
  }

  /** What the volumes said so far. */
  private final class Answers {
    private final Runnable ifSo;
    private final Consumer<KafkaStorageException> ifNot;
    private final List<String> refusals = new ArrayList<>();
    private int missing;
    private boolean told;

    Answers(int missing, Runnable ifSo, Consumer<KafkaStorageException> ifNot) {
      this.missing = missing;
      this.ifSo = ifSo;
      this.ifNot = ifNot;
    }

    void add(@Nullable Throwable failure) {
      missing--;
      if (told) {
        return;
      }
      if (failure == null) {
        told = true;
        ifSo.run();
        return;
      }
      refusals.add(String.valueOf(failure.getMessage()));
      if (missing == 0) {
        told = true;
        String why = String.join("; ", refusals);
        LOG.warn("New partitions are refused: {}", why);
        if (!(failure instanceof FolderProbe.FolderFull)) {
          whenFailed.run();
        }
        ifNot.accept(
            new KafkaStorageException(
                "Broker %d has no room for new partitions, nothing was created: %s"
                    .formatted(nodeId, why)));
      }
    }
  }
}
