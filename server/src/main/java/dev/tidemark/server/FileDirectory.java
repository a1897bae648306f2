package dev.tidemark.server;

import dev.tidemark.env.Directory;
import dev.tidemark.env.LogFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A folder of the file system. Safe for use by several threads. */
public final class FileDirectory implements Directory {
  private static final String TEMPORARY_SUFFIX = ".tmp";

  private final Path path;

  /** The folder at {@code path}, which need not exist. */
  public FileDirectory(Path path) {
    this.path = path.toAbsolutePath().normalize();
  }

  @Override
  public String path() {
    return path.toString();
  }

  @Override
  public List<String> list() throws IOException {
    List<String> names = new ArrayList<>();
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(path)) {
      for (Path entry : entries) {
        names.add(entry.getFileName().toString());
      }
    } catch (IOException e) {
      throw FileFailure.of("list", path, e);
    }
    Collections.sort(names);
    return names;
  }

  @Override
  public boolean exists(String name) {
    return Files.exists(resolve(name));
  }

  @Override
  public boolean isDirectory(String name) {
    return Files.isDirectory(resolve(name));
  }

  @Override
  public Directory directory(String name) {
    return new FileDirectory(resolve(name));
  }

  @Override
  public void create() throws IOException {
    try {
      Files.createDirectories(path);
    } catch (IOException e) {
      throw FileFailure.of("create the folder", path, e);
    }
  }

  @Override
  public LogFile open(String name, OpenMode mode) throws IOException {
    Path file = resolve(name);
    try {
      FileChannel channel =
          mode == OpenMode.READ
              ? FileChannel.open(file, StandardOpenOption.READ)
              : FileChannel.open(
                  file,
                  StandardOpenOption.READ,
                  StandardOpenOption.WRITE,
                  StandardOpenOption.CREATE);
      return new ChannelLogFile(new OpenFile(file, channel));
    } catch (IOException e) {
      throw FileFailure.of("open", file, e);
    }
  }

  @Override
  public long size(String name) throws IOException {
    Path file = resolve(name);
    try {
      return Files.size(file);
    } catch (IOException e) {
      throw FileFailure.of("measure", file, e);
    }
  }

  @Override
  public long lastModifiedMs(String name) throws IOException {
    Path file = resolve(name);
    try {
      return Files.getLastModifiedTime(file).toMillis();
    } catch (IOException e) {
      throw FileFailure.of("examine", file, e);
    }
  }

  @Override
  public byte[] readAll(String name) throws IOException {
    Path file = resolve(name);
    try {
      return Files.readAllBytes(file);
    } catch (IOException e) {
      throw FileFailure.of("read", file, e);
    }
  }

  @Override
  public void writeAtomically(String name, byte[] content) throws IOException {
    Path target = resolve(name);
    Path temporary = resolve(name + TEMPORARY_SUFFIX);
    try {
      try (FileChannel channel =
          FileChannel.open(
              temporary,
              StandardOpenOption.WRITE,
              StandardOpenOption.CREATE,
              StandardOpenOption.TRUNCATE_EXISTING)) {
        ByteBuffer source = ByteBuffer.wrap(content);
        while (source.hasRemaining()) {
          channel.write(source);
        }
        channel.force(true);
      }
      Files.move(
          temporary, target, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException e) {
      throw FileFailure.of("write", target, e);
    }
    sync();
  }

  @Override
  public void rename(String from, String to) throws IOException {
    Path source = resolve(from);
    Path target = resolve(to);
    try {
      Files.move(
          source, target, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException e) {
      throw FileFailure.of("rename to " + target.getFileName(), source, e);
    }
  }

  @Override
  public void delete(String name) throws IOException {
    deleteAll(resolve(name));
  }

  /** Deletes a file, or a folder with all it holds; without effect if there is none. */
  public static void deleteAll(Path victim) throws IOException {
    try {
      if (Files.isDirectory(victim)) {
        Files.walkFileTree(victim, new DeleteAll());
      } else {
        Files.deleteIfExists(victim);
      }
    } catch (IOException e) {
      throw FileFailure.of("delete", victim, e);
    }
  }

  @Override
  public void syncFile(String name) throws IOException {
    Path file = resolve(name);
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
      channel.force(true);
    } catch (NoSuchFileException e) {
      return; // nothing is left that could be lost
    } catch (IOException e) {
      throw FileFailure.of("sync", file, e);
    }
  }

  @Override
  public void sync() throws IOException {
    try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
      channel.force(true);
    } catch (IOException e) {
      throw FileFailure.of("sync the folder", path, e);
    }
  }

  @Override
  public long totalBytes() throws IOException {
    try {
      return Files.getFileStore(path).getTotalSpace();
    } catch (IOException e) {
      throw FileFailure.of("examine the volume of", path, e);
    }
  }

  @Override
  public boolean syncAll() {
    return VolumeSync.of(path);
  }

  @Override
  public long usableBytes() throws IOException {
    try {
      return Files.getFileStore(path).getUsableSpace();
    } catch (IOException e) {
      throw FileFailure.of("examine the volume of", path, e);
    }
  }

  private Path resolve(String name) {
    if (name.isEmpty() || name.indexOf('/') >= 0 || name.equals(".") || name.equals("..")) {
      throw new IllegalArgumentException("'" + name + "' is not a name of an entry of " + path);
    }
    return path.resolve(name);
  }

  /** Deletes bottom-up; entries that vanish meanwhile are none of our concern. */
  private static final class DeleteAll extends SimpleFileVisitor<Path> {
    @Override
    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
      Files.deleteIfExists(file);
      return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult visitFileFailed(Path file, IOException failure) throws IOException {
      if (failure instanceof NoSuchFileException) {
        return FileVisitResult.CONTINUE;
      }
      throw failure;
    }

    @Override
    public FileVisitResult postVisitDirectory(Path folder, @Nullable IOException failure)
        throws IOException {
      if (failure != null) {
        throw failure;
      }
      Files.deleteIfExists(folder);
      return FileVisitResult.CONTINUE;
    }
  }
}
