package dev.tidemark.broker.metrics;

import dev.tidemark.env.Clock;
import java.util.EnumMap;
import java.util.Map;
import org.apache.kafka.common.protocol.ApiKeys;

/**
 * How many requests of each API were answered and how long that took, from the whole frame to the
 * answer: waiting for data or acknowledgements included. Owned by the data shard.
 */
public final class RequestMetrics {
  private static final double[] QUANTILES = {0.5, 0.75, 0.95, 0.98, 0.99, 0.999};

  private final Clock clock;
  private final Map<ApiKeys, Latency> byApi = new EnumMap<>(ApiKeys.class);

  public RequestMetrics(Clock clock) {
    this.clock = clock;
  }

  /** When a request begins, for {@link #onAnswered}. */
  public long nowNs() {
    return clock.monotonicNs();
  }

  public void onAnswered(ApiKeys api, long startedNs) {
    long nowNs = clock.monotonicNs();
    Latency latency = byApi.get(api);
    if (latency == null) {
      latency = new Latency(nowNs);
      byApi.put(api, latency);
    }
    latency.add(nowNs - startedNs, nowNs);
  }

  /** Tells of every API that was asked at least once, in the order of the API keys. */
  public void visit(MetricVisitor visitor) {
    long nowNs = clock.monotonicNs();
    byApi.forEach(
        (api, latency) -> {
          String labels = "request=\"" + api.name + "\"";
          visitor.counter("kafka_network_requestmetrics_requests_total", labels, latency.count());
          visitor.summary(
              "kafka_network_requestmetrics_totaltimems",
              labels,
              QUANTILES,
              latency.quantilesMs(QUANTILES, nowNs),
              latency.count(),
              latency.sumMs());
        });
  }
}
