package dev.tidemark.sim.fault;

import java.util.Locale;

/** What can be done to a cluster; each lasts a while and is undone. */
public enum FaultKind {
  /** The process of a node ends as by kill -9. */
  KILL,
  /** The same for two nodes at once. */
  KILL_TWO,
  /** A node is stopped in order. */
  STOP,
  /** A machine loses power: what it had not synced may be gone. */
  POWER_LOSS,
  /** A process does nothing for a while (SIGSTOP, SIGCONT). */
  FREEZE,
  /** A node is frozen, and while it is another one is killed. */
  FREEZE_AND_KILL,
  /** Two nodes do not hear each other. */
  CUT_TWO,
  /** A node is not heard by another, which it hears. */
  CUT_ONE_WAY,
  /** A node is cut off from all other nodes; clients still reach it. */
  ISOLATE,
  /** The wall clock of a node jumps forward or back. */
  CLOCK_JUMP,
  /** Preferred leaders are elected. */
  ELECT;

  /** As on the command line: lower case, with dashes. */
  public String word() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
