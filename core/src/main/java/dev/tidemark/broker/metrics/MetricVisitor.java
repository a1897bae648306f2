package dev.tidemark.broker.metrics;

/**
 * Takes in metrics one by one, on the data shard. Names are those of Kafka's JMX exporter rules.
 */
public interface MetricVisitor {
  /** A number that goes up and down. */
  void gauge(String name, String labels, long value);

  /** A number that only grows; it begins at zero with the process. */
  void counter(String name, String labels, long value);

  /**
   * A distribution.
   *
   * @param quantiles in ascending order, from 0 to 1
   * @param values the value of each quantile
   */
  void summary(
      String name, String labels, double[] quantiles, double[] values, long count, double sum);
}
