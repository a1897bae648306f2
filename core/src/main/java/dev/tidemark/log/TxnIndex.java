package dev.tidemark.log;

import dev.tidemark.env.Directory;
import dev.tidemark.env.Directory.OpenMode;
import dev.tidemark.env.LogFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The aborted transactions whose markers stand in one segment. No file without any. */
final class TxnIndex {
  private static final int ENTRY_BYTES = 34;
  private static final short VERSION = 0;

  private final Directory folder;
  private final String name;
  private @Nullable List<AbortedTxn> entries;
  private @Nullable LogFile file;

  TxnIndex(Directory folder, long baseOffset) {
    this.folder = folder;
    this.name = FileNames.of(baseOffset, FileNames.TXN_INDEX);
  }

  String name() {
    return name;
  }

  /** All of them, in the order of their markers. */
  List<AbortedTxn> entries() throws IOException {
    if (entries == null) {
      entries = folder.exists(name) ? load(ByteBuffer.wrap(folder.readAll(name))) : List.of();
    }
    return entries;
  }

  private List<AbortedTxn> load(ByteBuffer bytes) throws IOException {
    List<AbortedTxn> loaded = new ArrayList<>();
    while (bytes.remaining() >= ENTRY_BYTES) {
      short version = bytes.getShort();
      if (version != VERSION) {
        throw new IOException(
            "The transaction index " + folder.path() + "/" + name + " has version " + version);
      }
      loaded.add(
          new AbortedTxn(bytes.getLong(), bytes.getLong(), bytes.getLong(), bytes.getLong()));
    }
    return loaded;
  }

  void append(AbortedTxn txn) throws IOException {
    List<AbortedTxn> all = new ArrayList<>(entries());
    ByteBuffer bytes = ByteBuffer.allocate(ENTRY_BYTES).putShort(VERSION);
    bytes.putLong(txn.producerId()).putLong(txn.firstOffset());
    bytes.putLong(txn.lastOffset()).putLong(txn.lastStableOffset());
    open().write(bytes.flip(), (long) all.size() * ENTRY_BYTES);
    all.add(txn);
    entries = all;
  }

  /**
   * Forgets transactions whose marker stands at or above {@code offset}. Syncs, since an entry that
   * came back would make readers drop good records.
   */
  void truncate(long offset) throws IOException {
    List<AbortedTxn> kept = new ArrayList<>(entries());
    if (kept.removeIf(txn -> txn.lastOffset() >= offset)) {
      open().truncate((long) kept.size() * ENTRY_BYTES);
      open().sync();
      entries = kept;
    }
  }

  /** Empties it before its entries are found again in the log. */
  void reset() throws IOException {
    if (folder.exists(name) && folder.size(name) > 0) {
      open().truncate(0);
      open().sync();
    }
    entries = null;
  }

  private LogFile open() throws IOException {
    if (file == null) {
      file = folder.open(name, OpenMode.READ_WRITE);
    }
    return file;
  }

  /** The file to sync, or null when there is none. */
  @Nullable LogFile fileIfAny() throws IOException {
    return entries().isEmpty() ? null : open();
  }

  void close() throws IOException {
    entries = null;
    if (file != null) {
      file.close();
      file = null;
    }
  }
}
