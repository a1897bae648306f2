package dev.tidemark.server;

import dev.tidemark.broker.BrokerSettings;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Limits and sizes of a node's network, by Kafka's keys.
 *
 * @param sendBufferBytes socket.send.buffer.bytes; -1 leaves it to the operating system
 * @param receiveBufferBytes socket.receive.buffer.bytes; -1 leaves it to the operating system
 * @param backlog socket.listen.backlog.size: connections that wait to be accepted
 * @param maxRequestBytes socket.request.max.bytes: the largest frame
 * @param maxQueuedBytes queued.max.request.bytes: received frames in memory
 * @param maxIdleMs connections.max.idle.ms: quiet connections are closed; -1 never
 * @param maxConnections max.connections
 * @param maxConnectionsPerIp max.connections.per.ip
 * @param maxConnectionsPerIpOverrides max.connections.per.ip.overrides
 */
public record NetworkSettings(
    int sendBufferBytes,
    int receiveBufferBytes,
    int backlog,
    int maxRequestBytes,
    long maxQueuedBytes,
    long maxIdleMs,
    int maxConnections,
    int maxConnectionsPerIp,
    Map<InetAddress, Integer> maxConnectionsPerIpOverrides) {
  /** What stands for queued.max.request.bytes=-1: memory is always bounded. */
  public static final long DEFAULT_MAX_QUEUED_BYTES = 128L << 20;

  /** The values that stand without a server.properties. */
  public static NetworkSettings defaults() {
    return new NetworkSettings(
        100 << 10,
        100 << 10,
        50,
        100 << 20,
        DEFAULT_MAX_QUEUED_BYTES,
        600_000,
        Integer.MAX_VALUE,
        Integer.MAX_VALUE,
        Map.of());
  }

  /** What server.properties says. */
  static NetworkSettings of(BrokerSettings settings) {
    long queued = settings.queuedMaxRequestBytes();
    return new NetworkSettings(
        settings.socketSendBufferBytes(),
        settings.socketReceiveBufferBytes(),
        settings.socketListenBacklogSize(),
        settings.socketRequestMaxBytes(),
        queued > 0 ? queued : DEFAULT_MAX_QUEUED_BYTES,
        settings.connectionsMaxIdleMs(),
        FileDescriptors.connections(settings.maxConnections()),
        settings.maxConnectionsPerIp(),
        addresses(settings.maxConnectionsPerIpOverrides()));
  }

  private static Map<InetAddress, Integer> addresses(Map<String, Integer> byHost) {
    Map<InetAddress, Integer> byAddress = new LinkedHashMap<>();
    byHost.forEach(
        (host, count) -> {
          try {
            byAddress.put(InetAddress.getByName(host), count);
          } catch (UnknownHostException e) {
            throw new IllegalArgumentException(
                "max.connections.per.ip.overrides names the host %s, which has no address"
                    .formatted(host),
                e);
          }
        });
    return byAddress;
  }
}
