package dev.tidemark.log;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The leader epochs of a log and where each begins (KIP-101, KIP-279). Epochs and start offsets
 * both ascend strictly; a start that contradicts later ones removes them. The file is Kafka's
 * checkpoint: a version, a count, then "epoch offset" lines.
 */
final class LeaderEpochs {
  private static final int VERSION = 0;
  static final int NONE = -1;

  private final List<EpochStart> starts = new ArrayList<>(1);
  private boolean changed;
  private boolean awaitsRecord;

  static LeaderEpochs of(List<EpochStart> known) {
    LeaderEpochs epochs = new LeaderEpochs();
    epochs.starts.addAll(known);
    return epochs;
  }

  /** The epochs in a checkpoint file, or null when it is torn or not one. */
  static @Nullable LeaderEpochs parse(byte[] file) {
    String[] lines = new String(file, StandardCharsets.UTF_8).split("\n", -1);
    LeaderEpochs epochs = new LeaderEpochs();
    try {
      if (lines.length < 3 || Integer.parseInt(lines[0].trim()) != VERSION) {
        return null;
      }
      int count = Integer.parseInt(lines[1].trim());
      if (lines.length != count + 3 || !lines[count + 2].isEmpty()) {
        return null;
      }
      for (int i = 0; i < count; i++) {
        String[] words = lines[i + 2].trim().split("\\s+", -1);
        if (words.length != 2
            || !epochs.isLater(Integer.parseInt(words[0]), Long.parseLong(words[1]))) {
          return null;
        }
        epochs.starts.add(new EpochStart(Integer.parseInt(words[0]), Long.parseLong(words[1])));
      }
    } catch (NumberFormatException e) {
      return null;
    }
    return epochs;
  }

  private boolean isLater(int epoch, long startOffset) {
    return epoch >= 0
        && startOffset >= 0
        && (starts.isEmpty()
            || (epoch > latest() && startOffset > starts.get(starts.size() - 1).startOffset()));
  }

  byte[] toFile() {
    StringBuilder text = new StringBuilder();
    text.append(VERSION).append('\n').append(starts.size()).append('\n');
    for (EpochStart start : starts) {
      text.append(start.epoch()).append(' ').append(start.startOffset()).append('\n');
    }
    return text.toString().getBytes(StandardCharsets.UTF_8);
  }

  /** True once after each change: the file is to be written. */
  boolean takeChanged() {
    boolean was = changed;
    changed = false;
    return was;
  }

  void markChanged() {
    changed = true;
  }

  /** The latest epoch, or -1. */
  int latest() {
    return starts.isEmpty() ? NONE : starts.get(starts.size() - 1).epoch();
  }

  /** Those that have records in a log with this end offset. */
  List<EpochStart> startsBelow(long logEndOffset) {
    int count = starts.size();
    while (count > 0 && starts.get(count - 1).startOffset() >= logEndOffset) {
      count--;
    }
    return List.copyOf(starts.subList(0, count));
  }

  List<EpochStart> starts() {
    return List.copyOf(starts);
  }

  /** Notes that {@code epoch} (0 or more) begins at {@code startOffset}, if that is news. */
  void assign(int epoch, long startOffset) {
    if (epoch < 0) {
      return;
    }
    int last = starts.size() - 1;
    if (last >= 0
        && starts.get(last).epoch() == epoch
        && startOffset >= starts.get(last).startOffset()) {
      return;
    }
    while (last >= 0
        && (starts.get(last).epoch() >= epoch || starts.get(last).startOffset() >= startOffset)) {
      starts.remove(last--);
    }
    starts.add(new EpochStart(epoch, startOffset));
    changed = true;
  }

  /**
   * Notes an epoch that has no record yet. The file may do without it until one comes: an opening
   * forgets epochs that begin at the log's end.
   */
  void assignAtEnd(int epoch, long logEndOffset) {
    boolean was = changed;
    assign(epoch, logEndOffset);
    awaitsRecord |= changed;
    changed = was;
  }

  /** A record was appended: what {@link #assignAtEnd} noted is to be written now. */
  void noteRecord() {
    if (awaitsRecord) {
      awaitsRecord = false;
      changed = true;
    }
  }

  boolean isChanged() {
    return changed;
  }

  /** Forgets epochs that begin at or after {@code endOffset}, also when no record was cut. */
  void truncateFromEnd(long endOffset) {
    int last = starts.size() - 1;
    while (last >= 0 && starts.get(last).startOffset() >= endOffset) {
      starts.remove(last--);
      changed = true;
    }
  }

  /** Forgets epochs that end at or before {@code startOffset}; the one it lies in begins there. */
  void truncateFromStart(long startOffset) {
    int floor = floorByOffset(startOffset);
    if (floor < 0 || (floor == 0 && starts.get(0).startOffset() == startOffset)) {
      return;
    }
    EpochStart current = starts.get(floor);
    starts.subList(0, floor + 1).clear();
    starts.add(0, new EpochStart(current.epoch(), startOffset));
    changed = true;
  }

  void clear() {
    changed |= !starts.isEmpty();
    starts.clear();
  }

  /** The epoch of the record at {@code offset}, or -1. */
  int epochForOffset(long offset) {
    int floor = floorByOffset(offset);
    return floor < 0 ? NONE : starts.get(floor).epoch();
  }

  private int floorByOffset(long offset) {
    int i = starts.size() - 1;
    while (i >= 0 && starts.get(i).startOffset() > offset) {
      i--;
    }
    return i;
  }

  /** Where {@code epoch} ends in a log with this end offset. */
  EpochEnd endOffsetFor(int epoch, long logEndOffset) {
    if (epoch < 0 || epoch > latest()) {
      return EpochEnd.UNDEFINED;
    }
    if (epoch == latest()) {
      return new EpochEnd(epoch, logEndOffset);
    }
    int higher = 0;
    while (starts.get(higher).epoch() <= epoch) {
      higher++;
    }
    int known = higher == 0 ? epoch : starts.get(higher - 1).epoch();
    return new EpochEnd(known, starts.get(higher).startOffset());
  }
}
