package dev.tidemark.replica;

import dev.tidemark.log.CorruptLog;
import dev.tidemark.log.RemovedTail;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * The file that lists the lost tails of a partition: text like the checkpoints, a version, a count,
 * then a line for each with leader epoch, time, first and last offset, first and last epoch,
 * records, records once below the high watermark, bytes, kept bytes, file name.
 */
final class LostTailList {
  private static final String VERSION = "0";
  private static final int WORDS = 11;

  private LostTailList() {}

  static byte[] toFile(List<LostTail> tails) {
    StringBuilder text = new StringBuilder();
    text.append(VERSION).append('\n').append(tails.size()).append('\n');
    for (LostTail tail : tails) {
      RemovedTail removed = tail.removed();
      long[] numbers = {
        tail.leaderEpoch(),
        tail.atMs(),
        removed.firstOffset(),
        removed.lastOffset(),
        removed.firstEpoch(),
        removed.lastEpoch(),
        removed.records(),
        removed.recordsBelowHighWatermark(),
        removed.bytes(),
        removed.keptBytes()
      };
      for (long number : numbers) {
        text.append(number).append(' ');
      }
      text.append(tail.file()).append('\n');
    }
    return text.toString().getBytes(StandardCharsets.UTF_8);
  }

  static List<LostTail> parse(byte[] file, String path) throws CorruptLog {
    String[] lines = new String(file, StandardCharsets.UTF_8).split("\n", -1);
    List<LostTail> tails = new ArrayList<>();
    try {
      if (!lines[0].equals(VERSION)) {
        throw new NumberFormatException("it has version " + lines[0]);
      }
      int count = Integer.parseInt(lines[1]);
      for (int i = 2; i < 2 + count; i++) {
        tails.add(parseLine(lines[i].split(" ", WORDS)));
      }
    } catch (IndexOutOfBoundsException | NumberFormatException e) {
      throw new CorruptLog(path + " is damaged: " + e.getMessage());
    }
    return tails;
  }

  private static LostTail parseLine(String[] words) {
    RemovedTail removed =
        new RemovedTail(
            Long.parseLong(words[2]),
            Long.parseLong(words[3]),
            Integer.parseInt(words[4]),
            Integer.parseInt(words[5]),
            Long.parseLong(words[6]),
            Long.parseLong(words[7]),
            Long.parseLong(words[8]),
            Long.parseLong(words[9]));
    return new LostTail(
        Integer.parseInt(words[0]), Long.parseLong(words[1]), removed, words[WORDS - 1]);
  }
}
