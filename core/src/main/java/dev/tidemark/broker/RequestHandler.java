package dev.tidemark.broker;

/** Answers the requests of one API. Called on the data shard; answers on it, now or later. */
@FunctionalInterface
public interface RequestHandler {
  /**
   * Handles one request. An exception thrown here becomes the API's error answer. The records of a
   * Produce request are readable only until this method returns.
   */
  void handle(Request request);
}
