package dev.tidemark.metadata;

import java.util.List;
import java.util.function.Function;
import org.apache.kafka.image.MetadataImage;
import org.apache.kafka.server.common.ApiMessageAndVersion;
import org.jspecify.annotations.Nullable;

/**
 * What the controller decided: records that take effect together, and the answer to give once they
 * are durable.
 *
 * @param next decides what is left, from the metadata that these records lead to and before
 *     anything else; null when the answer is {@code response}
 */
record Decision<T>(
    List<ApiMessageAndVersion> records,
    @Nullable T response,
    @Nullable Function<MetadataImage, Decision<T>> next) {
  Decision {
    records = List.copyOf(records);
  }

  Decision(List<ApiMessageAndVersion> records, T response) {
    this(records, response, null);
  }

  /** An answer that changes nothing. */
  static <T> Decision<T> of(T response) {
    return new Decision<>(List.of(), response);
  }

  /** The first of several batches, where one would be too large. */
  static <T> Decision<T> first(
      List<ApiMessageAndVersion> records, Function<MetadataImage, Decision<T>> next) {
    return new Decision<>(records, null, next);
  }
}
