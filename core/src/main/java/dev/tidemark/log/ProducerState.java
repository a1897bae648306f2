package dev.tidemark.log;

import java.util.List;

/** The idempotent and transactional producers of a log. */
public final class ProducerState {
  /** All known producers, by id. */
  public List<ProducerEntry> entries() {
    return List.of();
  }
}
