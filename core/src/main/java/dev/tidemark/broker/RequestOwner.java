package dev.tidemark.broker;

import org.apache.kafka.common.network.ClientInformation;

/** Where a request came from and where its answer goes. Used on the shard of the request. */
interface RequestOwner {
  ClientContext client();

  /** What the client told of its software. */
  void clientSoftware(ClientInformation told);

  /** The request is answered: its frame is there, or it gets none. */
  void onAnswered(Request request);

  /** True when the failure is taken as it is, instead of an answer of the request's API. */
  default boolean takesFailure(Request request, Throwable cause) {
    return false;
  }

  /** Nothing can be answered any more, for a reason that is worth one line. */
  void closeFor(String why);

  /** Runs a later step of a request; what goes wrong there is the request's failure. */
  void goOn(Request request, Runnable step);

  /** What to do once when the connection has ended; replaces what was to be done before. */
  void whenEnded(Runnable action);

  /** A request that took longer is through with its memory. */
  void onTookIn();
}
