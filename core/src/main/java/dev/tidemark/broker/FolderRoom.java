package dev.tidemark.broker;

import dev.tidemark.broker.request.LogDir;
import dev.tidemark.broker.request.RoomForPartitions;
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

  private final Supplier<List<LogDir>> dirs;
  private final Runnable whenFailed;

  /** {@code whenFailed} is called when no folder answers: they may be gone. */
  FolderRoom(Supplier<List<LogDir>> dirs, Runnable whenFailed) {
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
      } else if (missing == 0) {
        told = true;
        LOG.warn("New partitions are refused: {}", failure.getMessage());
        if (!(failure instanceof FolderProbe.FolderFull)) {
          whenFailed.run();
        }
        ifNot.accept(
            new KafkaStorageException(
                "There is no room for new partitions, nothing was created: "
                    + failure.getMessage()));
      }
    }
  }
}
