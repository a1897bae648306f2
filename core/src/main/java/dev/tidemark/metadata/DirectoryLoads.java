package dev.tidemark.metadata;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.DirectoryId;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.image.MetadataDelta;
import org.apache.kafka.metadata.PartitionRegistration;

/** How many partitions lie in each data folder, by directory id (KIP-858). */
final class DirectoryLoads {
  private final Map<Uuid, Integer> committed = new HashMap<>();
  private final Map<Uuid, Integer> planned = new HashMap<>();

  /** Forgets what was chosen before and not committed. */
  void startDecision() {
    planned.clear();
  }

  /** The folder with the fewest partitions, the first of several; it has one more from now on. */
  Uuid choose(List<Uuid> directories) {
    Uuid best = DirectoryId.UNASSIGNED;
    int fewest = Integer.MAX_VALUE;
    for (Uuid directory : directories) {
      int load = committed.getOrDefault(directory, 0) + planned.getOrDefault(directory, 0);
      if (load < fewest) {
        best = directory;
        fewest = load;
      }
    }
    planned.merge(best, 1, Integer::sum);
    return best;
  }

  void onMetadataUpdate(MetadataDelta delta) {
    PartitionDeltas.forEach(
        delta,
        (key, before, after) -> {
          if (before != null) {
            add(before, -1);
          }
          if (after != null) {
            add(after, 1);
          }
        });
  }

  private void add(PartitionRegistration partition, int count) {
    for (Uuid directory : partition.directories) {
      committed.merge(directory, count, Integer::sum);
    }
  }
}
