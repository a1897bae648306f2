package dev.tidemark.metadata;

/**
 * A part of the broker failed to follow a committed change of cluster metadata. It differs from the
 * log from then on, so the process must end; the next start follows the log from its beginning.
 */
public final class MetadataNotApplied extends RuntimeException {
  private static final long serialVersionUID = 1L;

  MetadataNotApplied(MetadataListener listener, long offset, RuntimeException cause) {
    super(
        "%s cannot follow the metadata log to offset %d: %s"
            .formatted(listener.getClass().getSimpleName(), offset, cause),
        cause);
  }
}
