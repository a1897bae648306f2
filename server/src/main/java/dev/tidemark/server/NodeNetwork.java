package dev.tidemark.server;

import dev.tidemark.broker.Broker;
import dev.tidemark.broker.BrokerSettings;
import dev.tidemark.broker.NodeDialers;
import dev.tidemark.broker.settings.ListenerAddress;
import dev.tidemark.env.Connection;
import dev.tidemark.env.ConnectionBounds;
import dev.tidemark.metadata.BrokerIncarnation;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.apache.kafka.common.security.auth.SecurityProtocol;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A node's sockets: the listeners for clients on the data shard, that for controllers on the
 * control shard, and the calls to other nodes from both.
 */
final class NodeNetwork {
  private static final Logger LOG = LoggerFactory.getLogger(NodeNetwork.class);

  private final BrokerSettings settings;
  private final NettyShard data;
  private final NettyShard control;
  private final ShardNetwork clients;
  private final List<ShardNetwork> others = new ArrayList<>();
  private final List<NettyDialer> dialers = new ArrayList<>();
  private final List<NettyListener> listeners = new ArrayList<>();
  private final List<NettyListener> controllerListeners = new ArrayList<>();
  private final List<InetSocketAddress> addresses = new ArrayList<>();
  private final List<InetSocketAddress> controllerAddresses = new ArrayList<>();

  NodeNetwork(BrokerSettings settings, NettyShard data, NettyShard control) {
    this.settings = settings;
    this.data = data;
    this.control = control;
    this.clients = new ShardNetwork(data, NetworkSettings.of(settings));
  }

  ConnectionBounds bounds() {
    return clients.connections();
  }

  /** What the node calls others with; a node that is a whole cluster calls nobody. */
  NodeDialers dialers() {
    if (settings.cluster().isAlone()) {
      return NodeDialers.none(data, control);
    }
    return new NodeDialers(dialer(data), dialer(control));
  }

  /** Its memory is apart from that for clients, who may wait for what it brings. */
  private NettyDialer dialer(NettyShard shard) {
    NettyDialer dialer = new NettyDialer(network(shard));
    dialers.add(dialer);
    return dialer;
  }

  private ShardNetwork network(NettyShard shard) {
    ShardNetwork network = new ShardNetwork(shard, NetworkSettings.of(settings));
    others.add(network);
    return network;
  }

  /** Takes the ports; who connects waits until it is accepted. */
  void bind(Broker broker) throws IOException, InterruptedException {
    for (ListenerAddress address : settings.listeners()) {
      bind(address, clients, broker.acceptor(), listeners, addresses);
    }
    List<ListenerAddress> controllers = settings.allListeners().controllers();
    ShardNetwork network = controllers.isEmpty() ? clients : network(control);
    for (ListenerAddress address : controllers) {
      bind(address, network, broker.controllerAcceptor(), controllerListeners, controllerAddresses);
    }
    broker.whenControllerServes(() -> controllerListeners.forEach(NettyListener::accept));
  }

  private static void bind(
      ListenerAddress address,
      ShardNetwork network,
      Connection.Acceptor acceptor,
      List<NettyListener> to,
      List<InetSocketAddress> bound)
      throws IOException, InterruptedException {
    NettyListener listener = new NettyListener(network, address.name(), acceptor);
    to.add(listener);
    bound.add(listener.bind(bindAddress(address)));
  }

  private static InetSocketAddress bindAddress(ListenerAddress address) {
    InetSocketAddress where =
        address.host().isEmpty()
            ? new InetSocketAddress(address.port())
            : new InetSocketAddress(address.host(), address.port());
    InetAddress ip = where.getAddress();
    if (ip != null && !ip.isLoopbackAddress() && address.securityProtocol().equals("PLAINTEXT")) {
      LOG.warn(
          "Listener {} is reachable from other machines without encryption or login; bind it to"
              + " 127.0.0.1, or see to it that only trusted machines reach the port.",
          address);
    }
    return where;
  }

  /** From now on clients are served. */
  void acceptClients() {
    listeners.forEach(NettyListener::accept);
  }

  /** The listeners for clients. */
  List<NettyListener> listeners() {
    return listeners;
  }

  /** What clients are told: the advertised addresses with the ports that were really taken. */
  List<BrokerIncarnation.Listener> advertised() {
    return told(settings.advertisedListeners(), addresses);
  }

  /** The same for other controllers and brokers. */
  List<BrokerIncarnation.Listener> advertisedControllers() {
    return told(settings.allListeners().advertisedControllers(), controllerAddresses);
  }

  private static List<BrokerIncarnation.Listener> told(
      List<ListenerAddress> advertised, List<InetSocketAddress> bound) {
    List<BrokerIncarnation.Listener> told = new ArrayList<>();
    for (int i = 0; i < bound.size(); i++) {
      ListenerAddress address = advertised.get(i);
      int port = address.port() == 0 ? bound.get(i).getPort() : address.port();
      String host = address.host().isEmpty() ? HostName.ofThisMachine() : address.host();
      short protocol = SecurityProtocol.forName(address.securityProtocol()).id;
      told.add(new BrokerIncarnation.Listener(address.name(), host, port, protocol));
    }
    return told;
  }

  /** Where the node listens, in words. */
  String description() {
    List<String> where = new ArrayList<>();
    describe(where, settings.listeners(), addresses);
    describe(where, settings.allListeners().controllers(), controllerAddresses);
    return String.join(", ", where);
  }

  private static void describe(
      List<String> where, List<ListenerAddress> listeners, List<InetSocketAddress> bound) {
    for (int i = 0; i < bound.size(); i++) {
      ListenerAddress address = listeners.get(i);
      where.add(address.name() + "://" + address.host() + ":" + bound.get(i).getPort());
    }
  }

  /** The port of the first listener. */
  int port() {
    return (addresses.isEmpty() ? controllerAddresses : addresses).get(0).getPort();
  }

  /** No client is served any more. */
  void closeClients() throws InterruptedException {
    close(listeners.iterator());
  }

  /** Each is closed whatever becomes of the others. */
  private static void close(Iterator<NettyListener> rest) throws InterruptedException {
    if (rest.hasNext()) {
      try {
        rest.next().close();
      } finally {
        close(rest);
      }
    }
  }

  /** Nobody is called or answered any more; when the broker has stopped. */
  void close() throws InterruptedException {
    try {
      close(controllerListeners.iterator());
    } finally {
      dialers.forEach(NettyDialer::close);
      others.forEach(ShardNetwork::close);
      clients.close();
    }
  }
}
