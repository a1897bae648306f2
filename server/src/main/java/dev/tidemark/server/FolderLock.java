package dev.tidemark.server;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Holds a data folder for this process alone, by Kafka's own lock file, so that neither another
 * Tidemark nor a Kafka broker writes to it meanwhile. The operating system lets go when the process
 * ends, however it ends.
 */
public final class FolderLock implements AutoCloseable {
  private static final String FILE_NAME = ".lock";

  private final FileChannel channel;
  private final FileLock lock;

  private FolderLock(FileChannel channel, FileLock lock) {
    this.channel = channel;
    this.lock = lock;
  }

  /**
   * Takes the lock.
   *
   * @throws IOException if another process has it, or the file cannot be written; the message says
   *     what to do
   */
  public static FolderLock take(Path folder) throws IOException {
    Path file = folder.resolve(FILE_NAME);
    FileChannel channel;
    try {
      channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    } catch (IOException e) {
      throw FileFailure.of("write to the data folder", folder, e);
    }
    FileLock lock = null;
    try {
      lock = channel.tryLock();
    } catch (OverlappingFileLockException e) {
      lock = null; // another broker in this very process
    } finally {
      if (lock == null) {
        channel.close();
      }
    }
    if (lock == null) {
      throw new IOException(
          "data folder "
              + folder
              + " is used by another process; stop that one or choose another folder");
    }
    return new FolderLock(channel, lock);
  }

  @Override
  public void close() throws IOException {
    lock.release();
    channel.close();
  }
}
