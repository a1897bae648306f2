package dev.tidemark.metadata;

import java.util.ArrayList;
import java.util.List;

/**
 * Heartbeats that wait for their answer until a record that was appended after they came has
 * committed: a controller that was deposed without knowing it grants nobody a lease. One record
 * serves all that wait.
 */
final class HeartbeatAcks {
  private List<Waiting> waiting = new ArrayList<>();
  private List<Waiting> covered = new ArrayList<>();

  /** A heartbeat. Exactly one of the two is called. */
  interface Waiting {
    void answer();

    /** This node does not decide any more. */
    void giveUp();
  }

  /** Answers once something appended from now on has committed. */
  void await(Waiting heartbeat) {
    waiting.add(heartbeat);
  }

  /** True if nothing that is on its way covers those that wait. */
  boolean needsRecord() {
    return !waiting.isEmpty();
  }

  /** A batch is about to be appended; the one before has ended. */
  void onAppend() {
    covered.addAll(waiting);
    waiting = new ArrayList<>();
  }

  /** That batch has committed. */
  void onCommitted() {
    List<Waiting> answers = covered;
    covered = new ArrayList<>();
    answers.forEach(Waiting::answer);
  }

  /** That batch may be lost; the next one serves as well, if there is one. */
  void onFailed() {
    waiting.addAll(0, covered);
    covered = new ArrayList<>();
  }

  void onResigned() {
    onFailed();
    List<Waiting> all = waiting;
    waiting = new ArrayList<>();
    all.forEach(Waiting::giveUp);
  }
}
