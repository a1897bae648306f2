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
      if (base < 0) {
        // An index of such a segment: it is built anew.
        folder.delete(name);
        continue;
      }
      LOG.warn("{}/{} replaces the segments that it was made of", folder.path(), name);
      removeRange(folder, base, lastOffset(folder, name, base));
      folder.rename(name, target);
      folder.sync();
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
        for (String suffix :
            new String[] {
              FileNames.LOG, FileNames.OFFSET_INDEX, FileNames.TIME_INDEX, FileNames.TXN_INDEX
            }) {
          folder.delete(FileNames.of(base, suffix));
        }
      }
    }
  }
}
