package dev.tidemark.log;

import dev.tidemark.env.Directory;
import dev.tidemark.env.LogFile;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One sync under way: the files whose sync makes the log durable up to an end offset. */
final class LogFlush {
  private final long endOffset;
  private final long recoveryPoint;
  private final List<Segment> segments;
  private final List<LogFile> files;
  private final Directory folder;
  private final List<String> smallFiles;
  private final boolean namesChanged;
  private boolean done;
  private boolean synced;
  private @Nullable IOException failure;

  LogFlush(
      long endOffset,
      long recoveryPoint,
      List<Segment> segments,
      List<LogFile> files,
      Directory folder,
      List<String> smallFiles,
      boolean namesChanged) {
    this.endOffset = endOffset;
    this.recoveryPoint = recoveryPoint;
    this.segments = segments;
    this.files = files;
    this.folder = folder;
    this.smallFiles = smallFiles;
    this.namesChanged = namesChanged;
  }

  long endOffset() {
    return endOffset;
  }

  /** From where on a recovery must read when this was the last sync. */
  long recoveryPoint() {
    return recoveryPoint;
  }

  boolean isEmpty() {
    return files.isEmpty() && smallFiles.isEmpty() && !namesChanged;
  }

  boolean isDone() {
    return done;
  }

  /**
   * Runs anywhere. Whoever calls it while another thread does, as a close may, waits for that one
   * and gets its result: a file's failed sync is told once, and one more sync would succeed though
   * the pages are lost. So there is a monitor, which no append and no read ever takes.
   */
  synchronized void syncFiles() throws IOException {
    if (failure != null) {
      throw new IOException("A sync failed before: " + failure.getMessage(), failure);
    }
    if (!synced) {
      try {
        syncEach();
      } catch (IOException e) {
        failure = e;
        throw e;
      }
      synced = true;
    }
  }

  /** The folder last: a name must not outlive a power loss without its content. */
  private void syncEach() throws IOException {
    for (LogFile file : files) {
      file.sync();
    }
    for (String name : smallFiles) {
      folder.syncFile(name);
    }
    if (namesChanged) {
      folder.sync();
    }
  }

  /** Runs on the shard, exactly once, after the sync or its failure. */
  void finish() throws IOException {
    done = true;
    for (Segment segment : segments) {
      segment.unpin();
    }
  }

  /** After a truncation the sync under way proves nothing: all is to be synced again. */
  void repeat() {
    for (Segment segment : segments) {
      segment.markDirty();
    }
  }
}
