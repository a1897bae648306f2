package dev.tidemark.log;

import org.apache.kafka.common.Uuid;

/** Which partition a log belongs to. The topic id tells two topics of one name apart (KIP-516). */
public record LogId(String topic, int partition, Uuid topicId) {
  /** The name of the log's folder, for example {@code orders-3}. */
  public String folderName() {
    return topic + "-" + partition;
  }

  @Override
  public String toString() {
    return folderName();
  }
}
