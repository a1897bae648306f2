package dev.tidemark.log;

import dev.tidemark.env.Directory;
import dev.tidemark.env.Directory.OpenMode;
import dev.tidemark.env.LogFile;
import java.io.IOException;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Completes a replacement of segments that was interrupted: a segment under the suffix .swap is
 * whole and stands for all segments in its range of offsets, which go before it takes its name.
 */
final class SwapFiles {
  private static final Logger LOG = LoggerFactory.getLogger(SwapFiles.class);

  private SwapFiles() {}

  /** Returns the names in the folder afterwards. */
  static List<String> complete(Directory folder) throws IOException {
    List<String> names = folder.list();
    if (names.stream().noneMatch(name -> name.endsWith(FileNames.SWAP))) {
      return names;
    }
    for (String name : names) {
      if (!name.endsWith(FileNames.SWAP)) {
        continue;
      }
      String target = name.substring(0, name.length() - FileNames.SWAP.length());
      long base = FileNames.offsetIn(target, FileNames.LOG);
      if (base >= 0) {
        LOG.warn("{}/{} replaces the segments that it was made of", folder.path(), name);
        removeRange(folder, base, lastOffset(folder, name, base));
        takeTransactionIndex(folder, base);
        folder.rename(name, target);
        folder.sync();
      }
    }
    return withoutOtherIndexes(folder);
  }

  /**
   * The index of aborted transactions is not built anew: what is synced is not read again. It gets
   * its suffix before the segment does, so where it is missing it has its name, or there is none.
   */
  private static void takeTransactionIndex(Directory folder, long base) throws IOException {
    String index = FileNames.of(base, FileNames.TXN_INDEX);
    if (folder.exists(index + FileNames.SWAP)) {
      folder.rename(index + FileNames.SWAP, index);
    }
  }

  /** The others are built anew. */
  private static List<String> withoutOtherIndexes(Directory folder) throws IOException {
    for (String name : folder.list()) {
      if (name.endsWith(FileNames.SWAP)) {
        folder.delete(name);
      }
    }
    return folder.list();
  }

  private static long lastOffset(Directory folder, String name, long base) throws IOException {
    long last = base;
    try (LogFile file = folder.open(name, OpenMode.READ)) {
      BatchScanner scanner = new BatchScanner(file, 0, file.size(), BatchScanner.FAR_BYTES);
      while (scanner.next()) {
        last = scanner.header().lastOffset();
      }
    }
    return last;
  }

  private static void removeRange(Directory folder, long first, long last) throws IOException {
    for (String name : folder.list()) {
      long base = FileNames.offsetIn(name, FileNames.LOG);
      if (base >= first && base <= last) {
        for (String suffix : FileNames.OF_SEGMENT) {
          // One beside the segment's own name may be its new one; an old one that stays tells of
          // transactions of which nothing is left, which hides nothing.
          if (base > first || !suffix.equals(FileNames.TXN_INDEX)) {
            folder.delete(FileNames.of(base, suffix));
          }
        }
      }
    }
  }
}
