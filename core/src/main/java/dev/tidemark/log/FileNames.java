package dev.tidemark.log;

import java.util.List;

/** The names of a log's files: Kafka's. A segment's files are named by its base offset. */
final class FileNames {
  static final String LOG = ".log";
  static final String OFFSET_INDEX = ".index";
  static final String TIME_INDEX = ".timeindex";
  static final String TXN_INDEX = ".txnindex";
  static final String SNAPSHOT = ".snapshot";
  static final String DELETED = ".deleted";
  static final String CLEANED = ".cleaned";
  static final String SWAP = ".swap";
  static final String TEMPORARY = ".tmp";
  static final String EPOCHS = "leader-epoch-checkpoint";
  static final String METADATA = "partition.metadata";

  /** What truncations removed, and the list of it; not the log's own any more. */
  static final String LOST_TAIL = ".losttail";

  static final String LOST_TAILS = "lost-tails";

  /** Of the files of a segment, the one that makes it count last. */
  static final List<String> OF_SEGMENT = List.of(OFFSET_INDEX, TIME_INDEX, TXN_INDEX, LOG);

  /** Stands beside the segments of the cluster's metadata; not the log's own. */
  static final String QUORUM = "quorum-state";

  /** Begins the names of other files of our own; not the log's own either. */
  static final String TIDEMARKS = "tidemark-";

  /** Snapshots of the cluster's metadata, and unfinished ones. */
  static final String CHECKPOINT = ".checkpoint";

  static final String CHECKPOINT_PART = ".checkpoint.part";

  private static final int DIGITS = 20;

  private FileNames() {}

  static String of(long offset, String suffix) {
    char[] digits = new char[DIGITS];
    long left = offset;
    for (int i = DIGITS - 1; i >= 0; i--) {
      digits[i] = (char) ('0' + left % 10);
      left /= 10;
    }
    return new String(digits).concat(suffix);
  }

  /** True for files that an interrupted replacement or deletion left. */
  static boolean isLeftover(String name) {
    return name.endsWith(DELETED)
        || name.endsWith(CLEANED)
        || name.endsWith(SWAP)
        || name.endsWith(TEMPORARY);
  }

  /** The offset in a name with this suffix, or -1 when it is no such name. */
  static long offsetIn(String name, String suffix) {
    if (name.length() != DIGITS + suffix.length() || !name.endsWith(suffix)) {
      return -1;
    }
    long offset = 0;
    for (int i = 0; i < DIGITS; i++) {
      int digit = name.charAt(i) - '0';
      if (digit < 0 || digit > 9 || offset > (Long.MAX_VALUE - digit) / 10) {
        return -1;
      }
      offset = offset * 10 + digit;
    }
    return offset;
  }
}
