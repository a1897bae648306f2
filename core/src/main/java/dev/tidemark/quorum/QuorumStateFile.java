package dev.tidemark.quorum;

import dev.tidemark.env.Directory;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.common.Uuid;
import org.jspecify.annotations.Nullable;

/** Kafka's {@code quorum-state}, data version 1: the epoch a voter was last in, and its vote. */
final class QuorumStateFile {
  static final String FILE = "quorum-state";

  private static final int NONE = -1;

  private QuorumStateFile() {}

  /**
   * What it says; ids are -1 without a leader or a vote.
   *
   * @param votedDirectoryId the zero id when it is not known
   */
  record Content(int leaderId, int epoch, int votedId, Uuid votedDirectoryId) {}

  /** The file's content; empty when there is none. */
  static Optional<Content> read(Directory folder) throws IOException {
    if (!folder.exists(FILE)) {
      return Optional.empty();
    }
    String text = new String(folder.readAll(FILE), StandardCharsets.UTF_8);
    String epoch = field(text, "leaderEpoch");
    if (epoch == null) {
      throw new IOException(
          "%s/%s is damaged: it has no leaderEpoch; restore it from a backup"
              .formatted(folder.path(), FILE));
    }
    try {
      String directoryId = field(text, "votedDirectoryId");
      return Optional.of(
          new Content(
              idOf(field(text, "leaderId")),
              Integer.parseInt(epoch),
              idOf(field(text, "votedId")),
              directoryId == null ? Uuid.ZERO_UUID : Uuid.fromString(directoryId)));
    } catch (IllegalArgumentException e) {
      throw new IOException(
          "%s/%s is damaged (%s); restore it from a backup"
              .formatted(folder.path(), FILE, e.getMessage()),
          e);
    }
  }

  private static int idOf(@Nullable String value) {
    return value == null ? NONE : Integer.parseInt(value);
  }

  private static @Nullable String field(String text, String name) {
    Matcher matcher = Pattern.compile("\"" + name + "\"\\s*:\\s*\"?([\\w-]+)\"?").matcher(text);
    return matcher.find() ? matcher.group(1) : null;
  }

  /** The last epoch, 0 when there is no file. */
  static int readEpoch(Directory folder) throws IOException {
    return read(folder).map(Content::epoch).orElse(0);
  }

  /** Replaces the file; durable when this returns. */
  static void write(Directory folder, Content content) throws IOException {
    String text =
        "{\"leaderId\":%d,\"leaderEpoch\":%d,\"votedId\":%d,\"votedDirectoryId\":\"%s\",\"data_version\":1}"
            .formatted(
                content.leaderId(), content.epoch(), content.votedId(), content.votedDirectoryId());
    folder.writeAtomically(FILE, text.getBytes(StandardCharsets.UTF_8));
  }
}
