package dev.tidemark.sim.check;

import dev.tidemark.env.Directory;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;

/** The bytes of all segments of a replica, one after the other, as they lie on its disk. */
public final class ReplicaLog {
  private ReplicaLog() {}

  /** Empty if there is no such folder. */
  public static ByteBuffer read(Directory dataFolder, String topic, int partition)
      throws IOException {
    String name = topic + "-" + partition;
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    if (dataFolder.list().contains(name)) {
      Directory folder = dataFolder.directory(name);
      List<String> segments =
          folder.list().stream().filter(file -> file.endsWith(".log")).sorted().toList();
      for (String segment : segments) {
        all.write(folder.readAll(segment));
      }
    }
    return ByteBuffer.wrap(all.toByteArray());
  }
}
