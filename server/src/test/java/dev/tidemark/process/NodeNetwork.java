package dev.tidemark.process;

import static java.util.stream.Collectors.joining;

import java.io.IOException;
import java.util.Map;
import java.util.stream.IntStream;

/** Where the nodes of a cluster listen, and what each knows of the others. */
interface NodeNetwork extends AutoCloseable {
  /** The lines of a node's server.properties that say so. */
  String properties(int id);

  /** More environment of a node's process. */
  Map<String, String> environment(int id);

  /** The host and port at which controllers and brokers call the node's controller. */
  String controller(int id);

  /** Those of nodes 1 to {@code count}, as controller.quorum.bootstrap.servers. */
  default String controllers(int count) {
    return IntStream.rangeClosed(1, count).mapToObj(this::controller).collect(joining(","));
  }

  /** The host and port for clients in this process. */
  String clients(int id);

  /** The node's process is about to start. */
  void starting(int id) throws IOException;

  /** The node's process is gone. */
  void ended(int id);

  @Override
  void close();
}
