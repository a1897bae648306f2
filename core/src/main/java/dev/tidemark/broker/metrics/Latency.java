package dev.tidemark.broker.metrics;

import java.util.concurrent.TimeUnit;
import org.HdrHistogram.IntCountsHistogram;

/**
 * How long something took: count and sum since the start, quantiles over the last one to two
 * minutes, with an error of at most one per cent. Owned by one shard; nothing is allocated per
 * value, and a duration that nobody asks for ages without a timer.
 */
final class Latency {
  private static final long WINDOW_NS = TimeUnit.MINUTES.toNanos(1);
  private static final int DIGITS = 2;

  private IntCountsHistogram current = new IntCountsHistogram(DIGITS);
  private IntCountsHistogram previous = new IntCountsHistogram(DIGITS);
  private long windowStartNs;
  private long count;
  private long sumNs;

  Latency(long nowNs) {
    windowStartNs = nowNs;
  }

  void add(long tookNs, long nowNs) {
    rotate(nowNs);
    current.recordValue(tookNs / 1000);
    count++;
    sumNs += tookNs;
  }

  private void rotate(long nowNs) {
    long age = nowNs - windowStartNs;
    if (age < WINDOW_NS) {
      return;
    }
    IntCountsHistogram oldest = previous;
    previous = current;
    current = oldest;
    current.reset();
    if (age >= 2 * WINDOW_NS) {
      previous.reset();
    }
    windowStartNs = nowNs;
  }

  /** Milliseconds; 0 when there was nothing of late. */
  double[] quantilesMs(double[] quantiles, long nowNs) {
    rotate(nowNs);
    IntCountsHistogram both = current.copy();
    both.add(previous);
    double[] values = new double[quantiles.length];
    for (int i = 0; i < quantiles.length; i++) {
      values[i] = both.getValueAtPercentile(quantiles[i] * 100) / 1000.0;
    }
    return values;
  }

  long count() {
    return count;
  }

  double sumMs() {
    return sumNs / 1e6;
  }
}
