package dev.tidemark.server;

import dev.tidemark.env.ConnectionBounds;
import java.net.InetAddress;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How many connections a node has, in all and per address, over all its listeners. Used on the
 * shard only.
 */
final class ConnectionLimits implements ConnectionBounds {
  private int max;
  private int maxPerIp;
  private final Map<InetAddress, Integer> overrides;
  private final Map<InetAddress, Integer> perIp = new HashMap<>();
  private int all;

  /**
   * @param max max.connections
   * @param maxPerIp max.connections.per.ip
   * @param overrides max.connections.per.ip.overrides: other limits for some addresses
   */
  ConnectionLimits(int max, int maxPerIp, Map<InetAddress, Integer> overrides) {
    this.max = max;
    this.maxPerIp = maxPerIp;
    this.overrides = Map.copyOf(overrides);
  }

  @Override
  public void maxConnections(int count) {
    max = FileDescriptors.connections(count);
  }

  @Override
  public void maxConnectionsPerIp(int count) {
    maxPerIp = count;
  }

  int all() {
    return all;
  }

  /** Counts a connection in; the limit that it passes, as key=value, or null. */
  @Nullable String add(InetAddress ip) {
    all++;
    int ofIp = perIp.merge(ip, 1, Integer::sum);
    if (all > max) {
      return "max.connections=" + max;
    }
    Integer override = overrides.get(ip);
    if (ofIp > (override == null ? maxPerIp : override)) {
      return override == null
          ? "max.connections.per.ip=" + maxPerIp
          : "max.connections.per.ip.overrides=" + ip.getHostAddress() + ":" + override;
    }
    return null;
  }

  /** Counts one out that was counted in. */
  void remove(InetAddress ip) {
    all--;
    perIp.computeIfPresent(ip, (unused, count) -> count == 1 ? null : count - 1);
  }
}
