package dev.tidemark.broker.settings;

import java.util.Collection;
import org.jspecify.annotations.Nullable;

/** Finds the name (of a key, a command) that somebody who mistyped it probably meant. */
public final class NearestName {
  private NearestName() {}

  /**
   * The candidate with the smallest edit distance to {@code name} (the first one of several), or
   * null when none is within a third of its length.
   */
  public static @Nullable String find(String name, Collection<String> candidates) {
    String nearest = null;
    int limit = Math.max(2, name.length() / 3) + 1;
    for (String candidate : candidates) {
      if (Math.abs(candidate.length() - name.length()) < limit) {
        int distance = distance(name, candidate);
        if (distance < limit) {
          limit = distance;
          nearest = candidate;
        }
      }
    }
    return nearest;
  }

  /** Levenshtein's distance: how many letters are inserted, deleted or replaced. */
  static int distance(String a, String b) {
    int[] previous = new int[b.length() + 1];
    int[] current = new int[b.length() + 1];
    for (int j = 0; j <= b.length(); j++) {
      previous[j] = j;
    }
    for (int i = 1; i <= a.length(); i++) {
      current[0] = i;
      for (int j = 1; j <= b.length(); j++) {
        int replaced = previous[j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
        current[j] = Math.min(replaced, Math.min(previous[j], current[j - 1]) + 1);
      }
      int[] swapped = previous;
      previous = current;
      current = swapped;
    }
    return previous[b.length()];
  }
}
