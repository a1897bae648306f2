package dev.tidemark.log;

import java.io.IOException;

/**
 * Bytes that were synced once are damaged now. The message names the file, the position and what to
 * do. The log stays closed; other partitions are not concerned.
 */
public final class CorruptLog extends IOException {
  private static final long serialVersionUID = 1L;

  public CorruptLog(String message) {
    super(message);
  }
}
