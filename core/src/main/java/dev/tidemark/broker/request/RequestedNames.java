package dev.tidemark.broker.request;

import java.util.LinkedHashSet;
import java.util.List;
import org.apache.kafka.common.errors.InvalidRequestException;

/** The names in a request, each of which asks for a part of the answer. */
final class RequestedNames {
  /** An answer has some hundred bytes for each. */
  static final int MAX = 100_000;

  private RequestedNames() {}

  /**
   * Each name once, in their order: else few bytes asked for a huge answer.
   *
   * @throws InvalidRequestException when they are too many
   */
  static List<String> distinct(List<String> names) {
    List<String> distinct = List.copyOf(new LinkedHashSet<>(names));
    checkNumber(distinct.size());
    return distinct;
  }

  static void checkNumber(int names) {
    if (names > MAX) {
      throw new InvalidRequestException(
          "the request has %d names, the most are %d; send several requests".formatted(names, MAX));
    }
  }
}
