package dev.tidemark.metadata;

import java.util.List;
import org.apache.kafka.server.common.ApiMessageAndVersion;

/**
 * What the controller decided: records that take effect together, and the answer to give once they
 * are durable.
 */
record Decision<T>(List<ApiMessageAndVersion> records, T response) {
  Decision {
    records = List.copyOf(records);
  }

  /** An answer that changes nothing. */
  static <T> Decision<T> of(T response) {
    return new Decision<>(List.of(), response);
  }
}
