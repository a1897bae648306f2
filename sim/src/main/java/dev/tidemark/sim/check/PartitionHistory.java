package dev.tidemark.sim.check;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What clients were told of a partition, and what must hold of it in the end: every record that was
 * acknowledged with acks=all is there exactly once, at the offset that was told, in the order in
 * which its writer sent it; what a reader saw at an offset is there; no end went back, and no two
 * nodes answered as leader in one epoch or at one time.
 */
public final class PartitionHistory {
  private final int partition;
  private final Map<Long, String> acknowledged = new TreeMap<>();
  private final Map<Long, String> seen = new TreeMap<>();
  private final List<LeaderAnswer> answers = new ArrayList<>();
  private final List<String> violations = new ArrayList<>();

  /** Of a partition of which nobody has been told anything yet. */
  public PartitionHistory(int partition) {
    this.partition = partition;
  }

  /** The cluster promised to keep a record. */
  public void acknowledged(long offset, String key) {
    String before = acknowledged.put(offset, key);
    if (before != null) {
      violation("offset %d was told for %s and for %s".formatted(offset, before, key));
    }
  }

  /** A reader was given a record. */
  public void seen(long offset, String key) {
    String before = seen.putIfAbsent(offset, key);
    if (before != null && !before.equals(key)) {
      violation("a reader saw at offset %d first %s, then %s".formatted(offset, before, key));
    }
  }

  /** A leader has answered. */
  public void answered(LeaderAnswer answer) {
    answers.add(answer);
  }

  /** A client was told what it must not be told. */
  public void violation(String what) {
    violations.add("partition %d: %s".formatted(partition, what));
  }

  /** How many records the cluster promised to keep. */
  public int acknowledged() {
    return acknowledged.size();
  }

  /** How many answers of leaders there were. */
  public int answers() {
    return answers.size();
  }

  /** All that must not be, given what the replicas have in the end; empty if all holds. */
  public List<String> verify(List<StoredRecord> records) {
    LeaderAnswer.violations(answers).forEach(this::violation);
    Map<Long, String> stored = stored(records);
    notThere("acknowledged", acknowledged, stored);
    notThere("read", seen, stored);
    return List.copyOf(violations);
  }

  private void notThere(String how, Map<Long, String> told, Map<Long, String> stored) {
    told.forEach(
        (offset, key) -> {
          String there = stored.get(offset);
          if (!key.equals(there)) {
            violation(
                "offset %d was %s as %s, and the replicas have %s"
                    .formatted(offset, how, key, there == null ? "nothing there" : there));
          }
        });
  }

  private Map<Long, String> stored(List<StoredRecord> records) {
    Map<String, StoredRecord> byKey = new HashMap<>();
    Map<String, Long> lastOfWriter = new HashMap<>();
    Map<Long, String> keys = new TreeMap<>();
    for (StoredRecord record : records) {
      StoredRecord twice = byKey.put(record.key(), record);
      if (twice != null) {
        violation("stored twice: " + twice + " and " + record);
      }
      if (keys.put(record.offset(), record.key()) != null) {
        violation("two records at one offset: " + record);
      }
      int dash = record.key().indexOf('-');
      long number = Long.parseLong(record.key().substring(dash + 1));
      Long before = lastOfWriter.put(record.key().substring(0, dash), number);
      if (before != null && before >= number) {
        violation("after number " + before + " of its writer comes " + record);
      }
    }
    return keys;
  }
}
