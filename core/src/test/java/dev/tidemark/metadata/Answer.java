package dev.tidemark.metadata;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Keeps a reply for a test. */
final class Answer<T> implements Reply<T> {
  @Nullable T result;
  @Nullable Throwable failure;

  @Override
  public void succeed(T value) {
    result = value;
  }

  @Override
  public void fail(Throwable cause) {
    failure = cause;
  }

  boolean isThere() {
    return result != null || failure != null;
  }

  T get() {
    return Objects.requireNonNull(result, () -> "no answer; failure: " + failure);
  }
}
