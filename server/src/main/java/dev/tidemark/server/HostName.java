package dev.tidemark.server;

import java.net.InetAddress;
import java.net.UnknownHostException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What this machine calls itself. */
final class HostName {
  private static final Logger LOG = LoggerFactory.getLogger(HostName.class);

  private HostName() {}

  static String ofThisMachine() {
    try {
      return InetAddress.getLocalHost().getCanonicalHostName();
    } catch (UnknownHostException e) {
      LOG.warn("This machine's name is unknown ({}); others are told localhost.", e.getMessage());
      return "localhost";
    }
  }
}
