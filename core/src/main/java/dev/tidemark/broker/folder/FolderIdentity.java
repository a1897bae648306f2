package dev.tidemark.broker.folder;

import dev.tidemark.env.Directory;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import org.apache.kafka.common.Uuid;

/**
 * Whose a data folder is: the content of its {@code meta.properties}, which is Kafka's, version 1,
 * plus {@code tidemark.format.version}.
 *
 * @param clusterId the cluster, a base64 UUID by custom
 * @param nodeId the node
 * @param directoryId this folder, among all of the cluster
 * @param formatVersion the version of the layout of what is in it
 */
public record FolderIdentity(String clusterId, int nodeId, Uuid directoryId, int formatVersion) {
  /** The newest layout this version reads and the one it writes. */
  public static final int CURRENT_FORMAT = 1;

  /** The file. */
  public static final String FILE = "meta.properties";

  private static final String WRITER = "Written by Tidemark";
  private static final String FORMAT_KEY = "tidemark.format.version";

  /**
   * Names that a folder may hold and still count as empty; an interrupted format leaves the last.
   */
  private static final List<String> NOT_DATA = List.of("lost+found", ".lock", FILE + ".tmp");

  /**
   * Reads the identity of a folder; empty when it is not formatted. Throws {@link FolderRefused}
   * for folders of others, newer ones and damaged ones.
   */
  public static Optional<FolderIdentity> read(Directory folder) throws IOException {
    return folder.exists(FILE)
        ? Optional.of(parse(folder.path(), folder.readAll(FILE)))
        : Optional.empty();
  }

  /** Throws {@link FolderRefused} when a folder that is to be formatted holds something. */
  static void refuseContent(Directory folder) throws IOException {
    for (String name : folder.list()) {
      if (!NOT_DATA.contains(name)) {
        throw new FolderRefused(
            "%s has no %s but is not empty (it holds %s): it is left as it is; choose an empty folder."
                .formatted(folder.path(), FILE, name));
      }
    }
  }

  /** Writes the file; the folder must exist. */
  public void write(Directory folder) throws IOException {
    String text =
        ("# " + WRITER + ". It says whose this folder is; do not edit it.\n")
            + "version=1\n"
            + ("cluster.id=" + clusterId + "\n")
            + ("node.id=" + nodeId + "\n")
            + ("directory.id=" + directoryId + "\n")
            + (FORMAT_KEY + "=" + formatVersion + "\n");
    folder.writeAtomically(FILE, text.getBytes(StandardCharsets.UTF_8));
  }

  private static FolderIdentity parse(String path, byte[] content) throws IOException {
    Properties properties = new Properties();
    try {
      properties.load(new ByteArrayInputStream(content));
    } catch (IllegalArgumentException e) {
      throw damaged(path, "its text", "cannot be read: " + e.getMessage());
    }
    String format = properties.getProperty(FORMAT_KEY);
    if (format == null && !isKafkas(properties, content)) {
      throw damaged(path, FORMAT_KEY, "is missing");
    }
    if (format == null) {
      throw new FolderRefused(
          "%s holds data of Apache Kafka (its %s has no %s): it is left as it is; choose another folder."
              .formatted(path, FILE, FORMAT_KEY));
    }
    int formatVersion = number(path, properties, FORMAT_KEY);
    if (formatVersion > CURRENT_FORMAT) {
      throw new FolderRefused(
          "%s was written by a newer Tidemark (format %d, this version reads up to %d): it is left as it is; start the newer version."
              .formatted(path, formatVersion, CURRENT_FORMAT));
    }
    return new FolderIdentity(
        text(path, properties, "cluster.id"),
        number(path, properties, "node.id"),
        directoryId(path, properties),
        formatVersion);
  }

  /** Apache Kafka's file is whole but for our own key; a damaged one of ours is not Kafka's. */
  private static boolean isKafkas(Properties properties, byte[] content) {
    return !new String(content, StandardCharsets.UTF_8).contains(WRITER)
        && properties.containsKey("version")
        && (properties.containsKey("node.id") || properties.containsKey("broker.id"));
  }

  private static String text(String path, Properties properties, String key) {
    String value = properties.getProperty(key);
    if (value == null || value.isBlank()) {
      throw damaged(path, key, "is missing");
    }
    return value.trim();
  }

  private static int number(String path, Properties properties, String key) {
    String value = text(path, properties, key);
    try {
      return Integer.parseInt(value);
    } catch (NumberFormatException e) {
      throw damaged(path, key, "is '" + value + "'");
    }
  }

  private static Uuid directoryId(String path, Properties properties) {
    String value = text(path, properties, "directory.id");
    try {
      return Uuid.fromString(value);
    } catch (IllegalArgumentException e) {
      throw damaged(path, "directory.id", "is '" + value + "'");
    }
  }

  private static FolderRefused damaged(String path, String key, String what) {
    return new FolderRefused(
        "%s/%s is damaged (%s %s): restore the file from a backup, or choose another folder."
            .formatted(path, FILE, key, what));
  }
}
