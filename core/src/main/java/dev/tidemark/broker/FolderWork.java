package dev.tidemark.broker;

import dev.tidemark.env.Background;
import dev.tidemark.env.Directory;
import dev.tidemark.env.Shard;
import dev.tidemark.replica.PartitionLeader;

/**
 * The slow work on one data folder. Each kind of it has a queue for each folder, so that a disk
 * that hangs holds up no other. Of syncs and probes it notices when they do not come back. Owned by
 * the data shard.
 */
final class FolderWork implements Background {
  /** The queue of probes. */
  static final String PROBES = "probe";

  /**
   * So long one sync or one probe may take. Syncing a whole segment to a slow and busy disk stays
   * below; it is also when Linux begins to complain of a task that hangs.
   */
  static final long MAX_MS = 120_000;

  private final Background background;
  private final String suffix;
  private final HangWatch syncs;
  private final HangWatch probes;

  /** {@code onHang} is called on the shard when a sync or a probe took longer than it may. */
  FolderWork(Shard shard, Directory folder, Runnable onHang) {
    this.background = shard.background();
    this.suffix = " " + folder.path();
    this.syncs = new HangWatch(shard.clock(), shard.timers(), MAX_MS, onHang);
    this.probes = new HangWatch(shard.clock(), shard.timers(), MAX_MS, onHang);
  }

  @Override
  public <T> void run(String queue, Work<T> work, Completion<T> completion) {
    if (queue.equals(PartitionLeader.SYNCS)) {
      run(syncs, queue, work, completion);
    } else if (queue.equals(PROBES)) {
      run(probes, queue, work, completion);
    } else {
      background.run(queue + suffix, work, completion);
    }
  }

  private <T> void run(HangWatch watch, String queue, Work<T> work, Completion<T> completion) {
    watch.begun();
    background.run(
        queue + suffix,
        work,
        (result, failure) -> {
          watch.ended();
          completion.onDone(result, failure);
        });
  }
}
