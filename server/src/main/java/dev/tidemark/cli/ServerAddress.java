package dev.tidemark.cli;

/**
 * Where a broker listens.
 *
 * @param host a name or an address, without the brackets of IPv6
 * @param port from 1 to 65535
 */
record ServerAddress(String host, int port) {
  private static final int MAX_PORT = 65_535;

  /** Reads HOST:PORT; {@code [::1]:9092} is one too. */
  static ServerAddress parse(String text) throws CommandFailure {
    int colon = text.lastIndexOf(':');
    boolean isBareIpv6 = colon >= 0 && text.indexOf(':') < colon && !text.startsWith("[");
    if (colon < 0 || isBareIpv6 || text.endsWith("]")) {
      throw refused(text, "has no port");
    }
    String host = text.substring(0, colon).replaceAll("^\\[|]$", "");
    if (host.isEmpty()) {
      throw refused(text, "has no host");
    }
    String port = text.substring(colon + 1);
    if (!port.matches("\\d{1,5}") || number(port) < 1 || number(port) > MAX_PORT) {
      throw refused(text, "has no port from 1 to " + MAX_PORT);
    }
    return new ServerAddress(host, number(port));
  }

  private static int number(String digits) {
    return Integer.parseInt(digits);
  }

  private static CommandFailure refused(String text, String why) {
    return CommandFailure.usage(
        "--bootstrap-server '" + text + "' " + why + "; give HOST:PORT, e.g. localhost:9092");
  }

  @Override
  public String toString() {
    return (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + port;
  }
}
