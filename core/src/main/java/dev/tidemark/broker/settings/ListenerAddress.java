package dev.tidemark.broker.settings;

import java.util.Locale;

/**
 * A listener as server.properties writes it: {@code NAME://host:port}.
 *
 * @param name upper case
 * @param host empty = all addresses (of a listener), or the host's own name (advertised)
 * @param port 0 = any free one
 * @param securityProtocol how its connections are secured, e.g. PLAINTEXT
 */
public record ListenerAddress(String name, String host, int port, String securityProtocol) {

  /** Parses one element of {@code key}; throws {@link InvalidSetting}. */
  static ListenerAddress parse(String key, String text, ListenerProtocols protocols) {
    int scheme = text.indexOf("://");
    int colon = text.lastIndexOf(':');
    if (scheme <= 0 || colon < scheme + 3) {
      throw malformed(key, text);
    }
    String name = text.substring(0, scheme).toUpperCase(Locale.ROOT);
    String host = text.substring(scheme + 3, colon);
    if (host.startsWith("[") && host.endsWith("]")) {
      host = host.substring(1, host.length() - 1);
    } else if (host.indexOf(':') >= 0) {
      throw malformed(key, text);
    }
    int port;
    try {
      port = Integer.parseInt(text.substring(colon + 1));
    } catch (NumberFormatException e) {
      throw malformed(key, text);
    }
    if (port < 0 || port > 65_535) {
      throw malformed(key, text);
    }
    return new ListenerAddress(name, host, port, protocols.of(key, text, name));
  }

  /** This listener with the port it was bound to. */
  public ListenerAddress withPort(int boundPort) {
    return new ListenerAddress(name, host, boundPort, securityProtocol);
  }

  /** This listener with another host. */
  public ListenerAddress withHost(String newHost) {
    return new ListenerAddress(name, newHost, port, securityProtocol);
  }

  @Override
  public String toString() {
    return name + "://" + (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + port;
  }

  private static InvalidSetting malformed(String key, String text) {
    return InvalidSetting.of(
        key, text, "must be NAME://HOST:PORT with a port from 0 to 65535 (HOST may be empty)");
  }
}
