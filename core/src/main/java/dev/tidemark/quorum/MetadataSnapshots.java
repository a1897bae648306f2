package dev.tidemark.quorum;

import dev.tidemark.env.Directory;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.NavigableSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The snapshots in the metadata log's folder. Two are kept: should the newest one rot, the one
 * before it and the log from there lead to the same.
 */
final class MetadataSnapshots {
  private static final Logger LOG = LoggerFactory.getLogger(MetadataSnapshots.class);
  static final int KEPT = 2;

  private final Directory folder;

  MetadataSnapshots(Directory folder) {
    this.folder = folder;
  }

  /** A snapshot that was read. */
  record Loaded(SnapshotId id, MetadataBatches.Snapshot content) {}

  /**
   * The newest snapshot that is whole and from which the log goes on; null without one. What an
   * interrupted run left half written is deleted.
   *
   * @param logStartOffset where the log begins
   */
  @Nullable Loaded load(long logStartOffset) throws IOException {
    List<SnapshotId> ids = new ArrayList<>();
    for (String name : folder.list()) {
      SnapshotId id = SnapshotId.parse(name);
      if (id != null) {
        ids.add(id);
      } else if (name.endsWith(SnapshotId.PART_SUFFIX)) {
        folder.delete(name);
      }
    }
    Collections.sort(ids, Collections.reverseOrder());
    for (SnapshotId id : ids) {
      if (id.endOffset() < logStartOffset) {
        break;
      }
      String path = folder.path() + "/" + id.fileName();
      try {
        ByteBuffer file = ByteBuffer.wrap(folder.readAll(id.fileName()));
        return new Loaded(id, MetadataBatches.decodeSnapshot(path, file));
      } catch (IOException | RuntimeException e) {
        LOG.error("{}; an older snapshot and the log are read instead", e.getMessage());
      }
    }
    return null;
  }

  /**
   * Those that are there, ascending, up to the newest one that is whole; what an interrupted run
   * left half written is deleted.
   */
  NavigableSet<SnapshotId> listWhole() throws IOException {
    for (String name : folder.list()) {
      if (name.endsWith(SnapshotId.PART_SUFFIX)) {
        folder.delete(name);
      }
    }
    NavigableSet<SnapshotId> ids = new TreeSet<>(list());
    while (!ids.isEmpty() && !isWhole(ids.last())) {
      ids.pollLast();
    }
    return ids;
  }

  private boolean isWhole(SnapshotId id) {
    String path = folder.path() + "/" + id.fileName();
    try {
      MetadataBatches.requireWholeSnapshot(path, ByteBuffer.wrap(folder.readAll(id.fileName())));
      return true;
    } catch (IOException | RuntimeException e) {
      LOG.error("{}; an older snapshot and the log are read instead", e.getMessage());
      return false;
    }
  }

  /** All, ascending. */
  List<SnapshotId> list() throws IOException {
    List<SnapshotId> ids = new ArrayList<>();
    for (String name : folder.list()) {
      SnapshotId id = SnapshotId.parse(name);
      if (id != null) {
        ids.add(id);
      }
    }
    Collections.sort(ids);
    return ids;
  }

  /**
   * Deletes all but the newest ones. Returns the offset below which the log is not needed any more;
   * 0 as long as there are not enough.
   */
  long deleteOld() throws IOException {
    List<SnapshotId> ids = list();
    int old = Math.max(0, ids.size() - KEPT);
    for (SnapshotId id : ids.subList(0, old)) {
      delete(id);
    }
    return ids.size() < KEPT ? 0 : ids.get(old).endOffset();
  }

  void delete(SnapshotId id) throws IOException {
    folder.delete(id.fileName());
  }
}
