package dev.tidemark.replica;

import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.protocol.Errors;

/** What became of a batch that a test handed to a leader. */
final class Produced implements WaitingAcknowledgement {
  final List<String> values;
  long baseOffset = -1;
  long lastOffset = -1;
  final List<Errors> answers = new ArrayList<>();

  Produced(List<String> values) {
    this.values = values;
  }

  @Override
  public void onAcknowledged(Errors error) {
    answers.add(error);
  }

  boolean isPending() {
    return answers.isEmpty();
  }

  boolean isAcknowledged() {
    return answers.equals(List.of(Errors.NONE));
  }

  /** The answer, of which there must be exactly one. */
  Errors answer() {
    if (answers.size() != 1) {
      throw new AssertionError(values + " got " + answers.size() + " answers: " + answers);
    }
    return answers.get(0);
  }
}
