package dev.tidemark.server;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;

/** A file operation that failed: the message says what was tried on which path, and why not. */
public final class FileFailure extends IOException {
  private static final long serialVersionUID = 1L;

  private FileFailure(String message, IOException cause) {
    super(message, cause);
  }

  /** What was tried on {@code path}, as it stands in "cannot … path". */
  public static FileFailure of(String action, Path path, IOException cause) {
    return new FileFailure("cannot " + action + " " + path + ": " + reason(cause), cause);
  }

  private static String reason(IOException cause) {
    if (cause instanceof NoSuchFileException) {
      return "it does not exist";
    }
    if (cause instanceof AccessDeniedException) {
      return "no permission";
    }
    if (cause instanceof NotDirectoryException) {
      return "it is not a folder";
    }
    if (cause instanceof FileAlreadyExistsException) {
      return "there is a file of that name";
    }
    if (cause instanceof DirectoryNotEmptyException) {
      return "the folder is not empty";
    }
    if (cause instanceof FileSystemException failure && failure.getReason() != null) {
      return failure.getReason();
    }
    String message = cause.getMessage();
    return message == null ? cause.getClass().getSimpleName() : message;
  }
}
