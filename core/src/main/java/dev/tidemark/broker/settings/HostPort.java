package dev.tidemark.broker.settings;

/**
 * Where to listen.
 *
 * @param host a name or an address without brackets; empty = all addresses of this machine
 * @param port 0 = any that is free
 */
public record HostPort(String host, int port) {
  private static final int MAX_PORT = 65_535;

  /** Reads HOST:PORT; throws {@link IllegalArgumentException}. */
  public static HostPort parse(String text) {
    int colon = text.lastIndexOf(':');
    if (colon < 0) {
      throw new IllegalArgumentException("no port");
    }
    String host = text.substring(0, colon);
    if (host.startsWith("[") && host.endsWith("]")) {
      host = host.substring(1, host.length() - 1);
    } else if (host.indexOf(':') >= 0 || host.indexOf('/') >= 0) {
      throw new IllegalArgumentException("not a host");
    }
    int port = Integer.parseInt(text.substring(colon + 1));
    if (port < 0 || port > MAX_PORT) {
      throw new IllegalArgumentException("not a port");
    }
    return new HostPort(host, port);
  }
}
