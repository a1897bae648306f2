package dev.tidemark.server.http;

import dev.tidemark.broker.metrics.MetricVisitor;
import java.util.LinkedHashMap;
import java.util.Map;

/** Metrics in Prometheus's text format 0.0.4, in which all samples of one name stand together. */
final class PrometheusText implements MetricVisitor {
  static final String CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

  private final Map<String, StringBuilder> families = new LinkedHashMap<>();

  @Override
  public void gauge(String name, String labels, long value) {
    sample(family(name, "gauge"), name, labels).append(value).append('\n');
  }

  @Override
  public void counter(String name, String labels, long value) {
    sample(family(name, "counter"), name, labels).append(value).append('\n');
  }

  /** A number that grows in fractions, such as seconds. */
  void counter(String name, String labels, double value) {
    sample(family(name, "counter"), name, labels).append(value).append('\n');
  }

  @Override
  public void summary(
      String name, String labels, double[] quantiles, double[] values, long count, double sum) {
    StringBuilder text = family(name, "summary");
    String before = labels.isEmpty() ? "" : labels + ",";
    for (int i = 0; i < quantiles.length; i++) {
      sample(text, name, before + "quantile=\"" + quantiles[i] + "\"")
          .append(values[i])
          .append('\n');
    }
    sample(text, name + "_sum", labels).append(sum).append('\n');
    sample(text, name + "_count", labels).append(count).append('\n');
  }

  private StringBuilder family(String name, String type) {
    return families.computeIfAbsent(
        name,
        key -> new StringBuilder("# TYPE ").append(key).append(' ').append(type).append('\n'));
  }

  private static StringBuilder sample(StringBuilder text, String name, String labels) {
    text.append(name);
    if (!labels.isEmpty()) {
      text.append('{').append(labels).append('}');
    }
    return text.append(' ');
  }

  @Override
  public String toString() {
    StringBuilder all = new StringBuilder();
    families.values().forEach(all::append);
    return all.toString();
  }
}
