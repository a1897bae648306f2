package dev.tidemark.sim;

import dev.tidemark.env.Directory;
import dev.tidemark.env.LogFile;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.DirectoryNotEmptyException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A folder of a {@link VirtualDisk} by its path, for one life of the process. */
final class VirtualDirectory implements Directory {
  private static final long MODIFIED_MS = 0;

  private final VirtualDisk disk;
  private final VirtualFolder root;
  private final String path;
  private final int life;

  VirtualDirectory(VirtualDisk disk, VirtualFolder root, String path, int life) {
    this.disk = disk;
    this.root = root;
    this.path = path;
    this.life = life;
  }

  @Override
  public String path() {
    return path.isEmpty() ? "/" : path;
  }

  private VirtualFolder folder() throws IOException {
    requireAlive();
    disk.noteLook(path);
    VirtualFolder folder = root;
    for (String name : path.split("/", -1)) {
      if (!name.isEmpty()) {
        VirtualFolder next = folder.folderIfAny(name);
        if (next == null) {
          throw new FileNotFoundException(path() + " does not exist");
        }
        folder = next;
      }
    }
    return folder;
  }

  private @Nullable VirtualFolder folderIfAny() throws IOException {
    try {
      return folder();
    } catch (FileNotFoundException e) {
      return null;
    }
  }

  void requireAlive() throws IOException {
    if (disk.life() != life) {
      throw new IOException(path() + " belongs to a process that ended");
    }
    disk.faults().use(path());
  }

  private Inode file(String name) throws IOException {
    Inode inode = folder().fileIfAny(name);
    if (inode == null) {
      throw new FileNotFoundException(path + "/" + name + " does not exist");
    }
    return inode;
  }

  @Override
  public List<String> list() throws IOException {
    return folder().names();
  }

  @Override
  public boolean exists(String name) throws IOException {
    VirtualFolder folder = folderIfAny();
    return folder != null && folder.has(name);
  }

  @Override
  public boolean isDirectory(String name) throws IOException {
    VirtualFolder folder = folderIfAny();
    return folder != null && folder.folderIfAny(name) != null;
  }

  @Override
  public Directory directory(String name) {
    return new VirtualDirectory(disk, root, path + "/" + name, life);
  }

  @Override
  public void create() throws IOException {
    requireAlive();
    VirtualFolder folder = root;
    for (String name : path.split("/", -1)) {
      if (!name.isEmpty()) {
        VirtualFolder next = folder.folderIfAny(name);
        if (next == null) {
          disk.faults().before(DiskFaults.Change.CREATE, path);
          next = new VirtualFolder();
          folder.put(name, next);
          // A folder without its name would take all its synced files along; callers rely on it.
          folder.sync();
        }
        folder = next;
      }
    }
  }

  @Override
  public LogFile open(String name, OpenMode mode) throws IOException {
    VirtualFolder folder = folder();
    Inode inode = folder.fileIfAny(name);
    if (inode == null) {
      if (mode == OpenMode.READ) {
        throw new FileNotFoundException(path + "/" + name + " does not exist");
      }
      disk.faults().before(DiskFaults.Change.CREATE, path + "/" + name);
      inode = new Inode();
      folder.put(name, inode);
    }
    return new VirtualFile(disk, this, path + "/" + name, inode, mode == OpenMode.READ_WRITE);
  }

  @Override
  public long size(String name) throws IOException {
    return file(name).size();
  }

  @Override
  public long lastModifiedMs(String name) throws IOException {
    file(name);
    return MODIFIED_MS;
  }

  @Override
  public byte[] readAll(String name) throws IOException {
    return file(name).content();
  }

  @Override
  public void writeAtomically(String name, byte[] content) throws IOException {
    String temporary = name + ".tmp";
    try (LogFile file = open(temporary, OpenMode.READ_WRITE)) {
      file.truncate(0);
      file.write(ByteBuffer.wrap(content), 0);
      file.sync();
    }
    rename(temporary, name);
    sync();
  }

  @Override
  public void rename(String from, String to) throws IOException {
    VirtualFolder folder = folder();
    if (!folder.has(from)) {
      throw new FileNotFoundException(path + "/" + from + " does not exist");
    }
    VirtualFolder replaced = folder.folderIfAny(to);
    if (replaced != null && !replaced.names().isEmpty()) {
      throw new DirectoryNotEmptyException(path + "/" + to);
    }
    disk.faults().before(DiskFaults.Change.RENAME, path + "/" + from);
    folder.rename(from, to);
  }

  @Override
  public void delete(String name) throws IOException {
    VirtualFolder folder = folder();
    if (folder.has(name)) {
      disk.faults().before(DiskFaults.Change.DELETE, path + "/" + name);
      folder.remove(name);
    }
  }

  @Override
  public void syncFile(String name) throws IOException {
    if (exists(name)) {
      try (LogFile file = open(name, OpenMode.READ_WRITE)) {
        file.sync();
      }
    }
  }

  @Override
  public void sync() throws IOException {
    VirtualFolder folder = folder();
    disk.faults().before(DiskFaults.Change.SYNC_FOLDER, path());
    folder.sync();
  }

  @Override
  public long totalBytes() throws IOException {
    requireAlive();
    disk.faults().await(path());
    return disk.faults().capacityBytes();
  }

  @Override
  public boolean syncAll() throws IOException {
    VirtualFolder folder = folder();
    disk.faults().before(DiskFaults.Change.SYNC_FOLDER, path());
    folder.syncAll();
    return true;
  }

  @Override
  public long usableBytes() throws IOException {
    requireAlive();
    disk.faults().await(path());
    return Math.max(0, disk.faults().capacityBytes() - disk.usedBytes());
  }
}
