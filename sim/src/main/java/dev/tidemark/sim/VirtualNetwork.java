package dev.tidemark.sim;

import dev.tidemark.env.Connection;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Connections between hosts, as TCP gives them: each direction keeps its order, and a cut link
 * loses nothing but holds it back until it is healed or the connection ends. Delays are drawn.
 */
public final class VirtualNetwork {
  /** The mean of a frame's way, in microseconds; the draws are exponential. */
  private static final double MEAN_DELAY_US = 150;

  private static final long LEAST_DELAY_NS = 20_000;
  private static final double NS_PER_US = 1_000;
  private static final double TWO_TO_THE_53 = 0x1.0p53;

  private final Scheduler scheduler;
  private final SeededRandomness randomness;
  private final Map<String, ListeningSocket> listening = new HashMap<>();
  private final Set<VirtualConnection> connections = new LinkedHashSet<>();
  private final Map<String, List<Held>> held = new LinkedHashMap<>();
  private final Set<String> cuts = new LinkedHashSet<>();
  private final Set<String> stepped = new LinkedHashSet<>();
  private final Set<String> switchedOff = new LinkedHashSet<>();
  private int opened;

  /** What a cut link holds back: a frame, or that a connection begins, ends or has sent. */
  private record Held(boolean isFrame, Runnable arrival) {}

  private record ListeningSocket(SimShard shard, String name, Connection.Acceptor acceptor) {}

  public VirtualNetwork(Scheduler scheduler, long seed) {
    this.scheduler = scheduler;
    this.randomness = new SeededRandomness(seed).fork("network");
  }

  Scheduler scheduler() {
    return scheduler;
  }

  /** What becomes of an attempt to connect, on the shard that made it. */
  public interface Attempt {
    Connection.Listener onConnected(Connection connection);

    /** No process listens there. */
    void onRefused();
  }

  /** From now on a process listens at a port of its host. */
  public void listen(SimShard shard, int port, String listenerName, Connection.Acceptor acceptor) {
    listening.put(
        address(shard.node().host(), port), new ListeningSocket(shard, listenerName, acceptor));
  }

  /**
   * Connects to a port of a host. Nothing comes of it while the link is cut, nor ever if the host
   * is without power.
   */
  public void connect(SimShard from, String host, int port, Attempt attempt) {
    String source = from.node().host();
    carry(source, host, () -> accept(from, host, port, attempt));
  }

  private void accept(SimShard from, String host, int port, Attempt attempt) {
    if (switchedOff.contains(host)) {
      return;
    }
    String source = from.node().host();
    ListeningSocket socket = listening.get(address(host, port));
    if (socket == null || !socket.shard.isAlive()) {
      carry(host, source, () -> from.after(0, "refused", attempt::onRefused));
      return;
    }
    int number = opened++;
    VirtualConnection near = new VirtualConnection(this, from, "client", number, host);
    VirtualConnection far = new VirtualConnection(this, socket.shard, socket.name, number, source);
    near.pairWith(far);
    far.pairWith(near);
    connections.add(near);
    connections.add(far);
    socket.shard.after(0, "accept", () -> far.open(socket.acceptor.onConnected(far)));
    carry(
        host, source, () -> from.after(0, "connected", () -> near.open(attempt.onConnected(near))));
  }

  private static String address(String host, int port) {
    return host + ":" + port;
  }

  /** Does {@code arrival} after a drawn delay, or once the link is whole again. */
  void carry(String from, String to, Runnable arrival) {
    long unused = carry(from, to, 0, new Held(false, arrival));
  }

  /**
   * The same, not before a moment.
   *
   * @return when it arrives if nothing holds it back
   */
  long carryNotBefore(String from, String to, long earliestNs, Runnable arrival) {
    return carry(from, to, earliestNs, new Held(false, arrival));
  }

  /** The same for a frame, which a stepped link holds back. */
  long carryFrame(String from, String to, long earliestNs, Runnable arrival) {
    return carry(from, to, earliestNs, new Held(true, arrival));
  }

  private long carry(String from, String to, long earliestNs, Held what) {
    double uniform = (randomness.nextLong() >>> 11) / TWO_TO_THE_53;
    long delayNs =
        LEAST_DELAY_NS + (long) (-StrictMath.log(1 - uniform) * MEAN_DELAY_US * NS_PER_US);
    long arrivesNs = Math.max(scheduler.nowNs() + delayNs, earliestNs);
    String link = link(from, to);
    var unused =
        scheduler.after(
            arrivesNs - scheduler.nowNs(),
            link,
            "arrival",
            () -> {
              // What was held back comes first: the link keeps its order.
              if (cuts.contains(link)
                  || held.containsKey(link)
                  || (what.isFrame && stepped.contains(link))) {
                held.computeIfAbsent(link, key -> new ArrayList<>()).add(what);
              } else {
                what.arrival.run();
              }
            });
    return arrivesNs;
  }

  private static String link(String from, String to) {
    return from + ">" + to;
  }

  /** Nothing gets from one host to another any more, and nothing back. */
  public void cut(String one, String other) {
    cutOneWay(one, other);
    cutOneWay(other, one);
  }

  /** Nothing gets from one host to another any more. */
  public void cutOneWay(String from, String to) {
    cuts.add(link(from, to));
  }

  /** All links are whole; what was held back goes on, in its order. */
  public void heal() {
    cuts.clear();
    stepped.clear();
    for (String link : held.keySet()) {
      var unused = scheduler.after(0, link, "held arrivals", () -> release(link));
    }
  }

  /** What one host sends gets to the other again; what was held back goes on, in its order. */
  public void healOneWay(String from, String to) {
    String link = link(from, to);
    cuts.remove(link);
    stepped.remove(link);
    var unused = scheduler.after(0, link, "held arrivals", () -> release(link));
  }

  private void release(String link) {
    if (!cuts.contains(link)) {
      List<Held> arrivals = held.remove(link);
      if (arrivals != null) {
        arrivals.forEach(one -> one.arrival.run());
      }
    }
  }

  /** From now on each frame from one host to another waits for {@link #passFrame}. */
  public void step(String from, String to) {
    stepped.add(link(from, to));
  }

  /** How many frames a link holds back. */
  public long heldFrames(String from, String to) {
    return held.getOrDefault(link(from, to), List.of()).stream().filter(Held::isFrame).count();
  }

  /** Lets the oldest frame arrive that a stepped link holds back, if there is one. */
  public void passFrame(String from, String to) {
    String link = link(from, to);
    List<Held> arrivals = held.getOrDefault(link, new ArrayList<>());
    boolean passed = false;
    while (!arrivals.isEmpty() && !(passed && arrivals.get(0).isFrame)) {
      Held next = arrivals.remove(0);
      passed |= next.isFrame;
      next.arrival.run();
    }
    if (arrivals.isEmpty()) {
      held.remove(link);
    }
  }

  /**
   * What a link holds back never arrives: its sender is gone, with what it would have sent again.
   */
  public void loseHeld(String from, String to) {
    held.remove(link(from, to));
  }

  /** The process on a host has ended: its system closes what it had open. */
  void reset(String host) {
    forget(host, true);
  }

  /** A host is gone without a word: peers learn of it when they hear nothing. */
  void vanish(String host) {
    switchedOff.add(host);
    forget(host, false);
  }

  /** A host has power again: its system answers, though perhaps nobody listens there yet. */
  void appear(String host) {
    if (switchedOff.remove(host)) {
      List.copyOf(connections).forEach(one -> one.onPowerOf(host));
    }
  }

  boolean isOn(String host) {
    return !switchedOff.contains(host);
  }

  private void forget(String host, boolean tellPeers) {
    listening.keySet().removeIf(address -> address.startsWith(host + ":"));
    for (VirtualConnection one : List.copyOf(connections)) {
      if (one.host().equals(host)) {
        connections.remove(one);
        one.die(tellPeers);
      }
    }
  }

  void closed(VirtualConnection connection) {
    connections.remove(connection);
  }

  /** Connections' ends that are open. */
  public int openEnds() {
    return connections.size();
  }
}
