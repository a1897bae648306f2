package dev.tidemark.process;

import java.io.IOException;
import java.util.List;
import java.util.Map;

/** All nodes on 127.0.0.1, each with one listener for clients and brokers, and nothing between. */
final class DirectNetwork implements NodeNetwork {
  private static final String HOST = "127.0.0.1:";

  private final int count;
  private final List<Integer> ports;

  DirectNetwork(int count) throws IOException {
    this.count = count;
    this.ports = FreePorts.take(2 * count);
  }

  @Override
  public String properties(int id) {
    return """
        listeners=PLAINTEXT://%s,CONTROLLER://%s
        controller.quorum.bootstrap.servers=%s
        """
        .formatted(clients(id), controller(id), controllers(count));
  }

  @Override
  public Map<String, String> environment(int id) {
    return Map.of();
  }

  @Override
  public String controller(int id) {
    return HOST + ports.get(count + id - 1);
  }

  @Override
  public String clients(int id) {
    return HOST + ports.get(id - 1);
  }

  @Override
  public void starting(int id) {}

  @Override
  public void ended(int id) {}

  @Override
  public void close() {}
}
