package dev.tidemark.log;

import dev.tidemark.env.Directory;
import dev.tidemark.env.LogFile;
import java.io.IOException;
import java.util.List;

/** A log's folder under whose names a segment is written that does not count yet. */
final class CleanedNames implements Directory {
  private final Directory folder;

  CleanedNames(Directory folder) {
    this.folder = folder;
  }

  private static String cleaned(String name) {
    return name + FileNames.CLEANED;
  }

  @Override
  public String path() {
    return folder.path();
  }

  @Override
  public List<String> list() throws IOException {
    return folder.list();
  }

  @Override
  public boolean exists(String name) throws IOException {
    return folder.exists(cleaned(name));
  }

  @Override
  public boolean isDirectory(String name) throws IOException {
    return folder.isDirectory(cleaned(name));
  }

  @Override
  public Directory directory(String name) {
    return folder.directory(cleaned(name));
  }

  @Override
  public void create() throws IOException {
    folder.create();
  }

  @Override
  public LogFile open(String name, OpenMode mode) throws IOException {
    return folder.open(cleaned(name), mode);
  }

  @Override
  public long size(String name) throws IOException {
    return folder.size(cleaned(name));
  }

  @Override
  public long lastModifiedMs(String name) throws IOException {
    return folder.lastModifiedMs(cleaned(name));
  }

  @Override
  public byte[] readAll(String name) throws IOException {
    return folder.readAll(cleaned(name));
  }

  @Override
  public void writeAtomically(String name, byte[] content) throws IOException {
    folder.writeAtomically(cleaned(name), content);
  }

  @Override
  public void rename(String from, String to) throws IOException {
    folder.rename(cleaned(from), to);
  }

  @Override
  public void delete(String name) throws IOException {
    folder.delete(cleaned(name));
  }

  @Override
  public void syncFile(String name) throws IOException {
    folder.syncFile(cleaned(name));
  }

  @Override
  public boolean syncAll() throws IOException {
    return folder.syncAll();
  }

  @Override
  public void sync() throws IOException {
    folder.sync();
  }

  @Override
  public long totalBytes() throws IOException {
    return folder.totalBytes();
  }

  @Override
  public long usableBytes() throws IOException {
    return folder.usableBytes();
  }
}
