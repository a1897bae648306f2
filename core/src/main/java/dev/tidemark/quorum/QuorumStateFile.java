package dev.tidemark.quorum;

import dev.tidemark.env.Directory;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.common.Uuid;

/** Kafka's {@code quorum-state}, data version 1: the epoch this voter was last in. */
final class QuorumStateFile {
  private static final String FILE = "quorum-state";
  private static final Pattern EPOCH = Pattern.compile("\"leaderEpoch\"\\s*:\\s*(\\d+)");

  private QuorumStateFile() {}

  /** The last epoch, 0 when there is no file. */
  static int readEpoch(Directory folder) throws IOException {
    if (!folder.exists(FILE)) {
      return 0;
    }
    String text = new String(folder.readAll(FILE), StandardCharsets.UTF_8);
    Matcher matcher = EPOCH.matcher(text);
    if (!matcher.find()) {
      throw new IOException(
          "%s/%s is damaged: it has no leaderEpoch; restore it from a backup"
              .formatted(folder.path(), FILE));
    }
    return Integer.parseInt(matcher.group(1));
  }

  static void write(Directory folder, int leaderId, int epoch, Uuid directoryId)
      throws IOException {
    String text =
        "{\"leaderId\":%d,\"leaderEpoch\":%d,\"votedId\":%d,\"votedDirectoryId\":\"%s\",\"data_version\":1}"
            .formatted(leaderId, epoch, leaderId, directoryId);
    folder.writeAtomically(FILE, text.getBytes(StandardCharsets.UTF_8));
  }
}
