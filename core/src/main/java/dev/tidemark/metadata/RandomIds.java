package dev.tidemark.metadata;

import dev.tidemark.env.Randomness;
import org.apache.kafka.common.Uuid;

/** Draws ids for topics, folders, clusters and incarnations. */
public final class RandomIds {
  private RandomIds() {}

  /**
   * A version 4 UUID that is none of Kafka's reserved ones and, so that tools take it for a value
   * and not for an option, does not begin with a dash.
   */
  public static Uuid next(Randomness randomness) {
    while (true) {
      long high = (randomness.nextLong() & 0xFFFFFFFFFFFF0FFFL) | 0x4000L;
      long low = (randomness.nextLong() & 0x3FFFFFFFFFFFFFFFL) | 0x8000000000000000L;
      Uuid id = new Uuid(high, low);
      if (!Uuid.RESERVED.contains(id) && !id.toString().startsWith("-")) {
        return id;
      }
    }
  }
}
