package dev.tidemark.broker.request;

import org.jspecify.annotations.Nullable;

/** The lost tails on this broker. On the data shard; answers come on it, at once or later. */
public interface LostTailAccess {
  /** Which one, by its entry's name. */
  record Place(String topic, int partition, String name) {
    @Override
    public String toString() {
      return topic + "-" + partition + ":" + name;
    }
  }

  /** Takes an answer; exactly one of the two is not null. */
  @FunctionalInterface
  interface Answer {
    /**
     * The end of one call.
     *
     * @param content what was asked for
     * @param refusal why there is no answer
     */
    void onDone(byte @Nullable [] content, @Nullable String refusal);
  }

  /**
   * The entries, a line each; before them a line with their number, which may be more than are
   * listed.
   *
   * @param topic only of that one; null for all
   */
  void list(@Nullable String topic, Answer answer);

  /** What is kept of one from {@code position} on, a part at a time; nothing at its end. */
  void read(Place place, long position, Answer answer);

  /** Forgets one. */
  void drop(Place place, Answer answer);
}
