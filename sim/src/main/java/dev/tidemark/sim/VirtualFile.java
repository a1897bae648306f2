package dev.tidemark.sim;

import dev.tidemark.env.FileSlice;
import dev.tidemark.env.LogFile;
import java.io.IOException;
import java.nio.ByteBuffer;

/** An open file of a {@link VirtualDisk}. */
final class VirtualFile implements LogFile {
  private final VirtualDisk disk;
  private final VirtualDirectory folder;
  private final String path;
  private final Inode inode;
  private final boolean writable;
  private final int life;
  private boolean closed;

  VirtualFile(
      VirtualDisk disk, VirtualDirectory folder, String path, Inode inode, boolean writable) {
    this.disk = disk;
    this.folder = folder;
    this.path = path;
    this.inode = inode;
    this.writable = writable;
    this.life = disk.life();
    disk.fileOpened();
  }

  @Override
  public String path() {
    return path;
  }

  private void requireOpen() throws IOException {
    folder.requireAlive();
    if (closed) {
      throw new IOException(path + " is closed");
    }
  }

  private boolean beforeChange(DiskFaults.Change kind) throws IOException {
    requireOpen();
    if (!writable) {
      throw new IOException(path + " is open for reading only");
    }
    return disk.faults().before(kind, path);
  }

  @Override
  public long size() throws IOException {
    requireOpen();
    return inode.size();
  }

  @Override
  public void write(ByteBuffer source, long position) throws IOException {
    boolean fails = beforeChange(DiskFaults.Change.WRITE);
    long free = disk.faults().capacityBytes() - disk.usedBytes();
    long growth = position + source.remaining() - inode.size();
    if (fails || growth > free) {
      int part = disk.random().nextInt(source.remaining() + 1);
      int allowed = (int) Math.max(0, Math.min(part, source.remaining() - growth + free));
      source.limit(source.position() + allowed);
      inode.write(source, Math.toIntExact(position));
      throw new IOException(
          path + (fails ? ": input/output error (injected)" : ": no space left on device"));
    }
    inode.write(source, Math.toIntExact(position));
  }

  @Override
  public int read(ByteBuffer target, long position) throws IOException {
    requireOpen();
    return inode.read(target, position);
  }

  @Override
  public void truncate(long size) throws IOException {
    if (size < inode.size()) {
      beforeChange(DiskFaults.Change.TRUNCATE);
      inode.truncate(Math.toIntExact(size));
    }
  }

  @Override
  public void sync() throws IOException {
    try {
      beforeChange(DiskFaults.Change.SYNC);
    } catch (IOException e) {
      if (disk.faults().failedSyncsDrop()) {
        inode.syncFailed();
      }
      throw e;
    }
    inode.sync();
  }

  @Override
  public FileSlice slice(long position, int length) throws IOException {
    requireOpen();
    if (position < 0 || length < 0 || position + length > inode.size()) {
      throw new IOException(
          path + " has " + inode.size() + " bytes, not " + length + " at " + position);
    }
    disk.sliceTaken();
    return new Slice(disk, life, inode, position, length);
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      disk.fileClosed(life);
    }
  }

  private record Slice(VirtualDisk disk, int life, Inode inode, long position, int length)
      implements FileSlice {
    @Override
    public int read(ByteBuffer target, int offset) {
      int wanted = Math.max(0, Math.min(target.remaining(), length - offset));
      ByteBuffer part = target.slice(target.position(), wanted);
      int read = inode.read(part, position + offset);
      target.position(target.position() + read);
      return read;
    }

    @Override
    public void release() {
      disk.sliceReleased(life);
    }
  }
}
