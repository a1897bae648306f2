package dev.tidemark.broker.folder;

/**
 * A data folder that this broker must not use. Nothing in it was changed. The message is one line
 * that names the folder, the reason and what to do.
 */
public final class FolderRefused extends RuntimeException {
  private static final long serialVersionUID = 1L;

  FolderRefused(String message) {
    super(message);
  }
}
