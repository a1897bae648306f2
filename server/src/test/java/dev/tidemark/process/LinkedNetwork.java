package dev.tidemark.process;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;

/**
 * Nodes between which each way can be cut by itself. Brokers and controllers are called by names,
 * and a JVM can be given a hosts file of its own: so the same name is another address of
 * 127.0.0.0/8 for each node, behind which stands a {@link Link}. Clients call the nodes at
 * 127.0.0.1, over another listener, which no cut concerns.
 */
public final class LinkedNetwork implements NodeNetwork {
  private static final String HOST = "127.0.0.1";

  private final int count;
  private final List<Integer> ports;
  private final Map<Way, Link> links = new TreeMap<>();
  private final Map<Integer, Path> hosts = new TreeMap<>();

  /** From one node to a listener of another. */
  private record Way(int from, int to, boolean control) implements Comparable<Way> {
    @Override
    public int compareTo(Way other) {
      return toString().compareTo(other.toString());
    }
  }

  LinkedNetwork(int count) throws IOException {
    this.count = count;
    this.ports = FreePorts.take(3 * count);
    for (int from = 1; from <= count; from++) {
      for (int to = 1; to <= count; to++) {
        if (from != to) {
          links.put(new Way(from, to, false), link(from, to, peersPort(to)));
          links.put(new Way(from, to, true), link(from, to, controllerPort(to)));
        }
      }
      hosts.put(from, hostsOf(from));
    }
  }

  /** Whether this system has the addresses for it: Linux has all of 127.0.0.0/8. */
  public static boolean isPossible() {
    try {
      new ServerSocket(0, 1, InetAddress.getByName(address(1, 2))).close();
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  private static String address(int from, int to) {
    return "127.77." + from + "." + to;
  }

  private static Link link(int from, int to, int port) {
    return new Link(address(from, to), port, port);
  }

  /** In a folder without spaces, which TIDEMARK_JVM_OPTS could not tell. */
  private Path hostsOf(int from) throws IOException {
    Path file = Files.createTempFile("tidemark-hosts-", "");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
    List<String> lines = new ArrayList<>(List.of(HOST + " localhost"));
    for (int to = 1; to <= count; to++) {
      lines.add((to == from ? HOST : address(from, to)) + " " + name(to));
    }
    return Files.write(file, lines);
  }

  private static String name(int id) {
    return "node" + id;
  }

  private int clientPort(int id) {
    return ports.get(id - 1);
  }

  private int peersPort(int id) {
    return ports.get(count + id - 1);
  }

  private int controllerPort(int id) {
    return ports.get(2 * count + id - 1);
  }

  @Override
  public String properties(int id) {
    return """
        listeners=PLAINTEXT://%s,PEERS://%s:%d,CONTROLLER://%s:%d
        advertised.listeners=PEERS://%s:%d,CONTROLLER://%s
        listener.security.protocol.map=PLAINTEXT:PLAINTEXT,PEERS:PLAINTEXT,CONTROLLER:PLAINTEXT
        inter.broker.listener.name=PEERS
        controller.quorum.bootstrap.servers=%s
        """
        .formatted(
            clients(id),
            HOST,
            peersPort(id),
            HOST,
            controllerPort(id),
            name(id),
            peersPort(id),
            controller(id),
            controllers(count));
  }

  @Override
  public Map<String, String> environment(int id) {
    return Map.of("TIDEMARK_JVM_OPTS", "-Djdk.net.hosts.file=" + hosts.get(id));
  }

  @Override
  public String controller(int id) {
    return name(id) + ":" + controllerPort(id);
  }

  @Override
  public String clients(int id) {
    return HOST + ":" + clientPort(id);
  }

  /** A call is taken from now on, though it comes to nothing before the process listens. */
  @Override
  public void starting(int id) throws IOException {
    setAlive(id, true);
  }

  @Override
  public void ended(int id) {
    try {
      setAlive(id, false);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void setAlive(int id, boolean alive) throws IOException {
    for (Map.Entry<Way, Link> one : links.entrySet()) {
      if (one.getKey().to == id) {
        one.getValue().setAlive(alive);
      }
    }
  }

  /** Nothing that one node sends gets to the other any more. */
  public void cutOneWay(int from, int to) throws IOException {
    cut(from, to, false);
    cut(from, to, true);
  }

  /** Nothing gets from one node to the other any more, and nothing back. */
  public void cut(int one, int other) throws IOException {
    cutOneWay(one, other);
    cutOneWay(other, one);
  }

  /** Nothing gets to or from any other node. */
  public void isolate(int id) throws IOException {
    for (int other : othersThan(id)) {
      cut(id, other);
    }
  }

  /** The node neither reaches another's controller nor is its own one reached. */
  public void cutFromControllers(int id) throws IOException {
    for (int other : othersThan(id)) {
      cut(id, other, true);
      cut(other, id, true);
    }
  }

  private int[] othersThan(int id) {
    IntPredicate isOther = other -> other != id;
    return IntStream.rangeClosed(1, count).filter(isOther).toArray();
  }

  private void cut(int from, int to, boolean control) throws IOException {
    Link called = requireNonNull(links.get(new Way(from, to, control)));
    called.cut(true, called.answersAreCut());
    Link answered = requireNonNull(links.get(new Way(to, from, control)));
    answered.cut(answered.callsAreCut(), true);
  }

  /** All links are whole; what was held back goes on. */
  public void heal() throws IOException {
    for (Link link : links.values()) {
      link.cut(false, false);
    }
  }

  @Override
  public void close() {
    try {
      for (Link link : links.values()) {
        link.close();
      }
      for (Path file : hosts.values()) {
        Files.deleteIfExists(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
