package dev.tidemark.log;

import dev.tidemark.env.Directory;
import dev.tidemark.env.FileSlice;
import dev.tidemark.env.LogFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Real files, for tests that let other programs look at them. */
public final class NioDirectory implements Directory {
  private final Path path;

  public NioDirectory(Path path) {
    this.path = path;
  }

  @Override
  public String path() {
    return path.toString();
  }

  @Override
  public List<String> list() throws IOException {
    List<String> names = new ArrayList<>();
    try (Stream<Path> entries = Files.list(path)) {
      entries.forEach(entry -> names.add(String.valueOf(entry.getFileName())));
    }
    names.sort(null);
    return names;
  }

  @Override
  public boolean exists(String name) {
    return Files.exists(path.resolve(name));
  }

  @Override
  public boolean isDirectory(String name) {
    return Files.isDirectory(path.resolve(name));
  }

  @Override
  public Directory directory(String name) {
    return new NioDirectory(path.resolve(name));
  }

  @Override
  public void create() throws IOException {
    Files.createDirectories(path);
  }

  @Override
  public LogFile open(String name, OpenMode mode) throws IOException {
    Path file = path.resolve(name);
    FileChannel channel =
        mode == OpenMode.READ
            ? FileChannel.open(file, StandardOpenOption.READ)
            : FileChannel.open(
                file, StandardOpenOption.READ, StandardOpenOption.WRITE, StandardOpenOption.CREATE);
    return new NioFile(file, channel);
  }

  @Override
  public long size(String name) throws IOException {
    return Files.size(path.resolve(name));
  }

  @Override
  public long lastModifiedMs(String name) throws IOException {
    return Files.getLastModifiedTime(path.resolve(name)).toMillis();
  }

  @Override
  public byte[] readAll(String name) throws IOException {
    return Files.readAllBytes(path.resolve(name));
  }

  @Override
  public void writeAtomically(String name, byte[] content) throws IOException {
    Path temporary = path.resolve(name + ".tmp");
    Files.write(temporary, content);
    Files.move(temporary, path.resolve(name), StandardCopyOption.ATOMIC_MOVE);
  }

  @Override
  public void rename(String from, String to) throws IOException {
    Files.move(path.resolve(from), path.resolve(to), StandardCopyOption.ATOMIC_MOVE);
  }

  @Override
  public void delete(String name) throws IOException {
    Files.deleteIfExists(path.resolve(name));
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
    try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
      channel.force(true);
    }
  }

  @Override
  public long totalBytes() throws IOException {
    return Files.getFileStore(path).getTotalSpace();
  }

  @Override
  public boolean syncAll() {
    return false;
  }

  @Override
  public long usableBytes() throws IOException {
    return Files.getFileStore(path).getUsableSpace();
  }

  private record NioFile(Path file, FileChannel channel) implements LogFile {
    @Override
    public String path() {
      return file.toString();
    }

    @Override
    public long size() throws IOException {
      return channel.size();
    }

    @Override
    public void write(ByteBuffer source, long position) throws IOException {
      long at = position;
      while (source.hasRemaining()) {
        at += channel.write(source, at);
      }
    }

    @Override
    public int read(ByteBuffer target, long position) throws IOException {
      int total = 0;
      while (target.hasRemaining()) {
        int read = channel.read(target, position + total);
        if (read <= 0) {
          break;
        }
        total += read;
      }
      return total;
    }

    @Override
    public void truncate(long size) throws IOException {
      channel.truncate(size);
    }

    @Override
    public void sync() throws IOException {
      channel.force(true);
    }

    @Override
    public FileSlice slice(long position, int length) {
      return new NioSlice(this, position, length);
    }

    @Override
    public void close() throws IOException {
      channel.close();
    }
  }

  private record NioSlice(NioFile file, long position, int length) implements FileSlice {
    @Override
    public int read(ByteBuffer target, int offset) throws IOException {
      int wanted = Math.min(target.remaining(), length - offset);
      ByteBuffer part = target.slice(target.position(), wanted);
      int read = file.read(part, position + offset);
      target.position(target.position() + read);
      return read;
    }

    @Override
    public void release() {}
  }
}
