package dev.tidemark.env;

import java.io.IOException;
import java.util.List;

/**
 * A folder. Creating, renaming and deleting entries is visible at once but survives a power loss
 * only after {@link #sync()}. Names are single path elements. Every failure is an {@link
 * IOException} whose message names the path.
 */
public interface Directory {
  /** The path, for messages. */
  String path();

  /** The names of all entries, sorted. */
  List<String> list() throws IOException;

  boolean exists(String name) throws IOException;

  boolean isDirectory(String name) throws IOException;

  /** The folder {@code name}, which need not exist yet. */
  Directory directory(String name);

  /** Creates this folder and its missing parents; without effect if it exists. */
  void create() throws IOException;

  /** Opens a file; see {@link OpenMode}. */
  LogFile open(String name, OpenMode mode) throws IOException;

  /** The length of a file in bytes. */
  long size(String name) throws IOException;

  /** When a file was last written, wall clock, milliseconds. */
  long lastModifiedMs(String name) throws IOException;

  /** A whole small file. */
  byte[] readAll(String name) throws IOException;

  /**
   * Replaces a whole small file so that after a power loss either the old or the new content is
   * there: written beside it, synced, renamed, this folder synced.
   */
  void writeAtomically(String name, byte[] content) throws IOException;

  /** Renames a file or folder within this folder, replacing a file that has the new name. */
  void rename(String from, String to) throws IOException;

  /** Deletes a file, or a folder with all it holds; without effect if there is none. */
  void delete(String name) throws IOException;

  /** Makes a file's content survive a power loss, as {@link LogFile#sync}; none: no effect. */
  void syncFile(String name) throws IOException;

  /** Makes what was created, renamed and deleted here survive a power loss. */
  void sync() throws IOException;

  /** The size of this folder's volume in bytes. */
  long totalBytes() throws IOException;

  /**
   * Makes all that is in this folder and in those below it survive a power loss, in one go. Returns
   * false where that is not possible or not certain: then each file is to be synced. Blocks.
   */
  boolean syncAll() throws IOException;

  /** Free bytes for an ordinary user on this folder's volume. */
  long usableBytes() throws IOException;

  /** How {@link #open} treats a file that exists, or does not. */
  enum OpenMode {
    /** It must exist and is only read. */
    READ,
    /** It is created if it does not exist. */
    READ_WRITE
  }
}
