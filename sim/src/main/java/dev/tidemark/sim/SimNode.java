package dev.tidemark.sim;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A machine: a clock, a disk, a host name on the network, and one process at a time. What a process
 * had under way is dropped with it.
 */
public final class SimNode {
  private final String host;
  private final Scheduler scheduler;
  private final VirtualNetwork network;
  private final SeededRandomness randomness;
  private final NodeClock clock;
  private final VirtualDisk disk;
  private final List<SimShard> shards = new ArrayList<>();
  private @Nullable Incarnation process;
  private int runs;

  /** Whether it still runs: what a dead process had scheduled does nothing. */
  static final class Incarnation {
    private boolean alive = true;

    boolean isAlive() {
      return alive;
    }
  }

  /**
   * A machine that is switched on, without a process.
   *
   * @param wallMs what its wall clock shows when the simulation begins
   * @param driftPpm how much faster its clock runs, in millionths; negative = slower
   */
  public SimNode(String host, VirtualNetwork network, long seed, long wallMs, int driftPpm) {
    this.host = host;
    this.network = network;
    this.scheduler = network.scheduler();
    this.randomness = new SeededRandomness(seed).fork(host);
    this.clock = new NodeClock(scheduler, wallMs, driftPpm);
    this.disk = new VirtualDisk(randomness.fork("disk").nextLong());
  }

  public String host() {
    return host;
  }

  public NodeClock clock() {
    return clock;
  }

  public VirtualDisk disk() {
    return disk;
  }

  VirtualNetwork network() {
    return network;
  }

  Scheduler scheduler() {
    return scheduler;
  }

  /** A shard of the process that runs, which begins with the first one. */
  public SimShard newShard(String name) {
    Incarnation running = process;
    if (running == null) {
      running = new Incarnation();
      process = running;
      runs++;
      network.appear(host);
    }
    SimShard shard = new SimShard(this, running, name, randomness.fork("run " + runs + " " + name));
    shards.add(shard);
    return shard;
  }

  /** The process ends as by kill -9: its files stay as written, its connections are reset. */
  public void kill() {
    end();
    network.reset(host);
    disk.processKill();
  }

  /**
   * The machine loses power: unsynced writes may be gone, and peers hear nothing. It is switched on
   * again with the next process.
   */
  public void powerLoss() {
    end();
    network.vanish(host);
    disk.powerLoss(randomness.fork("power loss " + runs).nextLong());
  }

  /** The process has ended in order; its sockets are closed by the system. */
  public void exited() {
    end();
    network.reset(host);
  }

  private void end() {
    if (process != null) {
      process.alive = false;
      process = null;
    }
    shards.clear();
  }

  /** Nothing of the process runs until {@link #wake}; time goes on (SIGSTOP). */
  public void freeze() {
    shards.forEach(SimShard::freeze);
  }

  /** The process goes on with what has come meanwhile (SIGCONT). */
  public void wake() {
    shards.forEach(SimShard::wake);
  }
}
