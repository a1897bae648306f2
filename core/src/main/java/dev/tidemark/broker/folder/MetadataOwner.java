package dev.tidemark.broker.folder;

import dev.tidemark.env.Directory;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Properties;

/**
 * Says beside the metadata log whose it is: the log's own records name neither the cluster nor the
 * node that keeps it, so without this a {@code meta.properties} that was edited, or that came from
 * another node, would go unnoticed where there is one data folder alone.
 */
final class MetadataOwner {
  static final String FILE = "tidemark-owner";

  private static final String CLUSTER = "cluster.id";
  private static final String NODE = "node.id";

  private MetadataOwner() {}

  /**
   * Throws {@link FolderRefused} when the log is not that of this identity. Notes the identity
   * where nothing does, as in folders of before there was this file.
   */
  static void require(Directory dataFolder, Directory log, FolderIdentity identity)
      throws IOException {
    if (!log.exists(FILE)) {
      write(log, identity);
      return;
    }
    Properties owner = new Properties();
    owner.load(new ByteArrayInputStream(log.readAll(FILE)));
    requireSame(dataFolder, log, CLUSTER, owner, identity.clusterId());
    requireSame(dataFolder, log, NODE, owner, String.valueOf(identity.nodeId()));
  }

  private static void write(Directory log, FolderIdentity identity) throws IOException {
    String text =
        (CLUSTER + "=" + identity.clusterId() + "\n") + (NODE + "=" + identity.nodeId() + "\n");
    log.writeAtomically(FILE, text.getBytes(StandardCharsets.UTF_8));
  }

  private static void requireSame(
      Directory dataFolder, Directory log, String key, Properties owner, String found) {
    String expected = owner.getProperty(key);
    if (!found.equals(expected)) {
      throw new FolderRefused(
          "%s/%s says %s=%s, but %s/%s says that the metadata log there is that of %s=%s: one of the two was edited or copied from elsewhere. The folder is left as it is; set %s=%s again, or restore the file from a copy."
              .formatted(
                  dataFolder.path(),
                  FolderIdentity.FILE,
                  key,
                  found,
                  log.path(),
                  FILE,
                  key,
                  expected,
                  key,
                  expected));
    }
  }
}
