package dev.tidemark.broker;

import dev.tidemark.broker.request.RoomForPartitions;
import dev.tidemark.env.Background;
import dev.tidemark.env.Directory;
import java.io.IOException;
import java.util.List;
import java.util.function.Consumer;
import org.apache.kafka.common.errors.KafkaStorageException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Asks the volumes of the data folders for room; one that has some is enough. */
final class FolderRoom implements RoomForPartitions {
  private static final Logger LOG = LoggerFactory.getLogger(FolderRoom.class);

  private final Background background;
  private final List<Directory> folders;
  private final Runnable whenFailed;

  /** {@code whenFailed} is called when no folder answers: they may be gone. */
  FolderRoom(Background background, List<Directory> folders, Runnable whenFailed) {
    this.background = background;
    this.folders = List.copyOf(folders);
    this.whenFailed = whenFailed;
  }

  @Override
  public void check(Runnable ifSo, Consumer<KafkaStorageException> ifNot) {
    background.run(
        "room",
        this::requireRoom,
        (found, failure) -> {
          if (failure == null) {
            ifSo.run();
          } else {
            LOG.warn("New partitions are refused: {}", failure.getMessage());
            if (!(failure instanceof FolderProbe.FolderFull)) {
              whenFailed.run();
            }
            ifNot.accept(
                new KafkaStorageException(
                    "There is no room for new partitions, nothing was created: "
                        + failure.getMessage()));
          }
        });
  }

  private Directory requireRoom() throws IOException {
    IOException full = null;
    for (Directory folder : folders) {
      try {
        FolderProbe.requireRoom(folder);
        return folder;
      } catch (IOException e) {
        full = e;
      }
    }
    throw full == null ? new IOException("there is no data folder") : full;
  }
}
