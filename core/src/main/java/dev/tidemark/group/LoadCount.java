package dev.tidemark.group;

import dev.tidemark.env.Clock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells once for all partitions that are loaded together what was loaded. */
final class LoadCount {
  private static final Logger LOG = LoggerFactory.getLogger(LoadCount.class);

  private final Clock clock;
  private int underWay;
  private int partitions;
  private long records;
  private long beganMs;

  LoadCount(Clock clock) {
    this.clock = clock;
  }

  void begin() {
    if (underWay == 0) {
      partitions = 0;
      records = 0;
      beganMs = clock.monotonicMs();
    }
    underWay++;
    partitions++;
  }

  /** One has ended, or failed, which is told apart. */
  void end(long ofRecords) {
    records += ofRecords;
    underWay--;
    if (underWay == 0) {
      LOG.info(
          "Loaded the groups of {} partitions of the offsets topic, {} records, in {}ms",
          partitions,
          records,
          clock.monotonicMs() - beganMs);
    }
  }
}
