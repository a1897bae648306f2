package dev.tidemark.server;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.UnresolvedAddressException;

/** A listener could not take its address; the message names it, why, and what to do. */
public final class BindFailure extends IOException {
  private static final long serialVersionUID = 1L;

  BindFailure(String listener, InetSocketAddress address, Throwable cause) {
    super(message(listener, address, cause), cause);
  }

  private static String message(String listener, InetSocketAddress address, Throwable cause) {
    String where = address.getHostString() + ":" + address.getPort();
    String why = String.valueOf(cause.getMessage());
    if (why.contains("in use")) {
      return "port "
          + address.getPort()
          + " on "
          + address.getHostString()
          + " is in use by another process; stop that one or choose another port for listener "
          + listener;
    }
    if (why.contains("ermission denied")) {
      return "no permission to listen on "
          + where
          + "; choose a port above 1023 for listener "
          + listener;
    }
    if (cause instanceof UnresolvedAddressException || address.isUnresolved()) {
      return "the host name of "
          + where
          + " is unknown here; correct the listeners setting of "
          + listener;
    }
    return "cannot listen on " + where + " for listener " + listener + ": " + why;
  }
}
