package org.apache.kafka.raft;

import java.nio.file.Path;
import org.jspecify.annotations.NullMarked;

/**
 * A store whose path is only a name for messages: Kafka's interface wants one of a file, which only
 * the environment knows.
 */
@NullMarked
public abstract class NamedQuorumStateStore implements QuorumStateStore {
  private final String name;

  protected NamedQuorumStateStore(String name) {
    this.name = name;
  }

  @Override
  public final Path path() {
    return Path.of(name);
  }
}
