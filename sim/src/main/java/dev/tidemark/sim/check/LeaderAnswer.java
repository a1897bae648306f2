package dev.tidemark.sim.check;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A node has answered as the leader of a partition.
 *
 * @param epoch that of its leadership
 * @param endOffset what it said of where the partition ends for readers
 * @param notBeforeNs before that moment the answer had not left the node
 * @param receivedNs at that moment it had
 */
public record LeaderAnswer(
    int nodeId, int epoch, long endOffset, long notBeforeNs, long receivedNs) {
  /**
   * What must not be, of all answers of one partition: two nodes of one epoch; one of an old epoch
   * that left its node after one of a newer epoch was here, which makes two leaders at a time; an
   * end that goes back.
   */
  public static List<String> violations(List<LeaderAnswer> answers) {
    List<String> violations = new ArrayList<>();
    LeaderAnswer[] sorted = answers.toArray(new LeaderAnswer[0]);
    Arrays.sort(sorted, Comparator.comparingLong(LeaderAnswer::receivedNs));
    Map<Integer, LeaderAnswer> byEpoch = new HashMap<>();
    LeaderAnswer[] newest = new LeaderAnswer[sorted.length]; // of those up to each
    LeaderAnswer[] furthest = new LeaderAnswer[sorted.length];
    for (int i = 0; i < sorted.length; i++) {
      LeaderAnswer one = sorted[i];
      LeaderAnswer same = byEpoch.putIfAbsent(one.epoch, one);
      if (same != null && same.nodeId != one.nodeId) {
        violations.add("two nodes led in one epoch: " + same + " and " + one);
      }
      newest[i] = i > 0 && newest[i - 1].epoch >= one.epoch ? newest[i - 1] : one;
      furthest[i] = i > 0 && furthest[i - 1].endOffset >= one.endOffset ? furthest[i - 1] : one;
      int before = receivedBefore(sorted, one.notBeforeNs) - 1;
      if (before >= 0 && newest[before].epoch > one.epoch) {
        violations.add("an old leader answers after a newer one: " + newest[before] + ", " + one);
      }
      if (before >= 0 && furthest[before].endOffset > one.endOffset) {
        violations.add("the end goes back: " + furthest[before] + ", " + one);
      }
    }
    return violations;
  }

  /** How many of them; they are received one after the other. */
  private static int receivedBefore(LeaderAnswer[] sorted, long atNs) {
    int low = 0;
    int high = sorted.length;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (sorted[middle].receivedNs < atNs) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }
}
