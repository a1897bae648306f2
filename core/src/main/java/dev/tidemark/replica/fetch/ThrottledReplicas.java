package dev.tidemark.replica.fetch;

import java.util.BitSet;

/**
 * The partitions of a topic whose replica on one broker is throttled, as a topic's config lists
 * them: {@code *} for all, or {@code PARTITION:BROKER,PARTITION:BROKER}.
 */
public final class ThrottledReplicas {
  /** No partition. */
  public static final ThrottledReplicas NONE = new ThrottledReplicas(false, new BitSet());

  private static final ThrottledReplicas ALL = new ThrottledReplicas(true, new BitSet());

  /** More partitions than a topic can have; what a list says of one beyond it is void. */
  private static final int MAX_PARTITION = 1 << 20;

  private final boolean all;
  private final BitSet partitions;

  private ThrottledReplicas(boolean all, BitSet partitions) {
    this.all = all;
    this.partitions = partitions;
  }

  /**
   * Those on {@code brokerId}. The controller takes only lists of the right form; what has another
   * one all the same stands for no partition.
   */
  public static ThrottledReplicas parse(String list, int brokerId) {
    BitSet partitions = new BitSet();
    for (String element : list.split(",", -1)) {
      if (element.trim().equals("*")) {
        return ALL;
      }
      String[] pair = element.trim().split(":", -1);
      if (pair.length == 2 && number(pair[1]) == brokerId) {
        int partition = number(pair[0]);
        if (partition >= 0 && partition <= MAX_PARTITION) {
          partitions.set(partition);
        }
      }
    }
    return partitions.isEmpty() ? NONE : new ThrottledReplicas(false, partitions);
  }

  private static int number(String text) {
    try {
      return Integer.parseInt(text);
    } catch (NumberFormatException e) {
      return -1;
    }
  }

  boolean isEmpty() {
    return !all && partitions.isEmpty();
  }

  boolean contains(int partition) {
    return all || partitions.get(partition);
  }
}
