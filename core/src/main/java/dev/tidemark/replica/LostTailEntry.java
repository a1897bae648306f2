package dev.tidemark.replica;

import java.util.Locale;

/**
 * A lost tail as brokers list it: what is known of records that one broker's log had and the log of
 * its successor has not. Written as one line of text, in files and in answers.
 *
 * @param name tells it from others of its partition on the broker that lists it
 * @param state how sure it is
 * @param ofBroker whose log had them
 * @param firstEpoch leader epoch of the first record; while it is not exact, of the old leader
 * @param lastEpoch leader epoch of the last record; while it is not exact, of the old leader
 * @param leaderEpoch the epoch whose leader does not have them
 * @param startOffset the first that is lost
 * @param endOffset exclusive; as far as is known while it is not exact: {@code startOffset} when
 *     nothing is
 * @param records how many; -1 while it is not exact
 * @param committedRecords how many of them had once been below the high watermark; -1 while it is
 *     not exact
 * @param bytes of their batches; -1 while it is not exact
 * @param keptBytes so many of the first are kept
 * @param seenBeforeMs how long before the election the end was heard of, -1 when it was not
 * @param atMs when it was noted, wall clock
 */
public record LostTailEntry(
    String topic,
    int partition,
    String name,
    State state,
    int ofBroker,
    int firstEpoch,
    int lastEpoch,
    int leaderEpoch,
    long startOffset,
    long endOffset,
    long records,
    long committedRecords,
    long bytes,
    long keptBytes,
    long seenBeforeMs,
    long atMs) {
  private static final int WORDS = 16;

  /** How sure it is. */
  public enum State {
    /** Its broker has not come back since others took over. */
    UNCONFIRMED,
    /** Its broker has come back without its log: how much there was nobody can tell. */
    GONE,
    /** Its broker has come back and cut its log. */
    EXACT;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** One line, without its end. */
  public String toLine() {
    return String.join(
        " ",
        topic,
        Integer.toString(partition),
        name,
        state.name(),
        Integer.toString(ofBroker),
        Integer.toString(firstEpoch),
        Integer.toString(lastEpoch),
        Integer.toString(leaderEpoch),
        Long.toString(startOffset),
        Long.toString(endOffset),
        Long.toString(records),
        Long.toString(committedRecords),
        Long.toString(bytes),
        Long.toString(keptBytes),
        Long.toString(seenBeforeMs),
        Long.toString(atMs));
  }

  /** Reads such a line; words of later versions behind it are skipped. */
  public static LostTailEntry parse(String line) {
    String[] words = line.split(" ", -1);
    if (words.length < WORDS) {
      throw new IllegalArgumentException("no lost tail: " + line);
    }
    return new LostTailEntry(
        words[0],
        Integer.parseInt(words[1]),
        words[2],
        State.valueOf(words[3]),
        Integer.parseInt(words[4]),
        Integer.parseInt(words[5]),
        Integer.parseInt(words[6]),
        Integer.parseInt(words[7]),
        Long.parseLong(words[8]),
        Long.parseLong(words[9]),
        Long.parseLong(words[10]),
        Long.parseLong(words[11]),
        Long.parseLong(words[12]),
        Long.parseLong(words[13]),
        Long.parseLong(words[14]),
        Long.parseLong(words[15]));
  }
}
