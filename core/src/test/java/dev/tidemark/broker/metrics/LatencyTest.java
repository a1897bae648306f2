package dev.tidemark.broker.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.data.Percentage.withPercentage;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class LatencyTest {
  private static final long MS = TimeUnit.MILLISECONDS.toNanos(1);
  private static final long MINUTE = TimeUnit.MINUTES.toNanos(1);
  private static final double[] MEDIAN_AND_MAX = {0.5, 1.0};

  private final Latency latency = new Latency(0);

  @Test
  void quantilesAreOfWhatWasAdded() {
    for (int i = 1; i <= 999; i++) {
      latency.add(i * MS, 0);
    }
    double[] quantiles = latency.quantilesMs(MEDIAN_AND_MAX, 0);
    assertThat(quantiles[0]).isCloseTo(500, withPercentage(1));
    assertThat(quantiles[1]).isCloseTo(999, withPercentage(1));
    assertThat(latency.count()).isEqualTo(999);
    assertThat(latency.sumMs()).isEqualTo(999 * 500.0);
  }

  @Test
  void whatIsOlderThanTwoMinutesNoLongerCountsInQuantiles() {
    latency.add(700 * MS, 0);
    latency.add(3 * MS, MINUTE);
    assertThat(latency.quantilesMs(MEDIAN_AND_MAX, MINUTE)[1]).isCloseTo(700, withPercentage(1));
    assertThat(latency.quantilesMs(MEDIAN_AND_MAX, 2 * MINUTE)[1]).isCloseTo(3, withPercentage(1));
    assertThat(latency.quantilesMs(MEDIAN_AND_MAX, 9 * MINUTE)[1]).isZero();
    assertThat(latency.count()).isEqualTo(2);
    assertThat(latency.sumMs()).isEqualTo(703);
  }

  @Test
  void oneQuietMinuteForgetsTheMinuteBeforeIt() {
    latency.add(700 * MS, 0);
    latency.add(3 * MS, 2 * MINUTE);
    assertThat(latency.quantilesMs(MEDIAN_AND_MAX, 2 * MINUTE)[1]).isCloseTo(3, withPercentage(1));
  }
}
