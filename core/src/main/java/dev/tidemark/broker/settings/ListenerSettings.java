package dev.tidemark.broker.settings;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Where a node listens, and what it tells others of it. What is advertised stands in the order of
 * the listeners; an empty host there stands for this machine's name, port 0 for the port the
 * listener was bound to.
 *
 * @param clients the listeners of the broker, in their order
 * @param advertised what clients and other brokers are told of each
 * @param controllers the listeners of the controller, in the order of controller.listener.names
 * @param advertisedControllers what controllers and brokers are told of each
 * @param controllerName the first of controller.listener.names; empty without one
 * @param interBrokerName the listener on which brokers call each other; empty on a node that is
 *     only a controller
 */
public record ListenerSettings(
    List<ListenerAddress> clients,
    List<ListenerAddress> advertised,
    List<ListenerAddress> controllers,
    List<ListenerAddress> advertisedControllers,
    String controllerName,
    String interBrokerName) {
  static final ListenerSettings NONE =
      new ListenerSettings(List.of(), List.of(), List.of(), List.of(), "", "");

  private static final String DEFAULT_INTER_BROKER = "PLAINTEXT";

  /** Where values come from. */
  interface Values {
    <T> @Nullable T value(Setting<T> setting);
  }

  /** Throws {@link InvalidSetting}. */
  static ListenerSettings parse(Values values) {
    List<String> roles = orEmpty(values.value(HonouredSettings.PROCESS_ROLES));
    List<String> controllerNames =
        orEmpty(values.value(HonouredSettings.CONTROLLER_LISTENER_NAMES)).stream()
            .map(name -> name.toUpperCase(Locale.ROOT))
            .toList();
    ListenerProtocols protocols =
        ListenerProtocols.parse(
            orEmpty(values.value(HonouredSettings.LISTENER_SECURITY_PROTOCOL_MAP)),
            controllerNames);
    List<ListenerAddress> all = listening(values, protocols);
    List<ListenerAddress> clients =
        all.stream().filter(one -> !controllerNames.contains(one.name())).toList();
    List<ListenerAddress> controllers =
        controllerNames.stream()
            .flatMap(name -> all.stream().filter(one -> one.name().equals(name)))
            .toList();
    check(values, roles, clients, controllers, controllerNames);
    Map<String, ListenerAddress> told = advertised(values, protocols, all, controllerNames);
    return new ListenerSettings(
        clients,
        told(clients, told),
        controllers,
        told(controllers, told),
        controllerNames.isEmpty() ? "" : controllerNames.get(0),
        interBrokerName(values, clients));
  }

  private static List<ListenerAddress> listening(Values values, ListenerProtocols protocols) {
    List<ListenerAddress> all = new ArrayList<>();
    String key = HonouredSettings.LISTENERS.name();
    for (String text : orEmpty(values.value(HonouredSettings.LISTENERS))) {
      ListenerAddress listener = ListenerAddress.parse(key, text, protocols);
      refuseSecured(listener);
      refuseTaken(all, listener);
      all.add(listener);
    }
    return all;
  }

  private static void check(
      Values values,
      List<String> roles,
      List<ListenerAddress> clients,
      List<ListenerAddress> controllers,
      List<String> controllerNames) {
    String key = HonouredSettings.LISTENERS.name();
    String text = String.join(",", orEmpty(values.value(HonouredSettings.LISTENERS)));
    if (roles.contains("broker") && clients.isEmpty()) {
      throw InvalidSetting.of(key, text, "must name at least one listener for clients");
    }
    if (!roles.contains("broker") && !clients.isEmpty()) {
      throw InvalidSetting.of(
          key,
          text,
          "a node that is only a controller has no listener for clients: name them all in"
              + " controller.listener.names");
    }
    if (!roles.contains("controller") && !controllers.isEmpty()) {
      throw InvalidSetting.of(
          key, text, "a node that is only a broker has no listener for controllers: leave it out");
    }
    if (!roles.contains("controller") && controllerNames.isEmpty()) {
      throw InvalidSetting.of(
          HonouredSettings.CONTROLLER_LISTENER_NAMES.name(),
          "",
          "a node that is only a broker must be told the name of the controllers' listener");
    }
  }

  private static Map<String, ListenerAddress> advertised(
      Values values,
      ListenerProtocols protocols,
      List<ListenerAddress> all,
      List<String> controllerNames) {
    String key = HonouredSettings.ADVERTISED_LISTENERS.name();
    Map<String, ListenerAddress> told = new TreeMap<>();
    for (String text : orEmpty(values.value(HonouredSettings.ADVERTISED_LISTENERS))) {
      ListenerAddress address = ListenerAddress.parse(key, text, protocols);
      if (all.stream().anyMatch(known -> known.name().equals(address.name()))) {
        if (isAnyAddress(address.host())) {
          throw InvalidSetting.of(key, text, "must be an address that clients can connect to");
        }
        told.put(address.name(), address);
      } else if (!controllerNames.contains(address.name())) {
        throw InvalidSetting.of(key, text, "there is no listener of that name in listeners");
      }
    }
    return told;
  }

  private static List<ListenerAddress> told(
      List<ListenerAddress> listeners, Map<String, ListenerAddress> told) {
    List<ListenerAddress> advertised = new ArrayList<>();
    for (ListenerAddress listener : listeners) {
      ListenerAddress address = told.get(listener.name());
      if (address == null) {
        address = isAnyAddress(listener.host()) ? listener.withHost("") : listener;
      }
      advertised.add(address);
    }
    return List.copyOf(advertised);
  }

  /** As in Kafka the one that is called PLAINTEXT, unless a key names it; else the first. */
  private static String interBrokerName(Values values, List<ListenerAddress> clients) {
    String named = values.value(HonouredSettings.INTER_BROKER_LISTENER_NAME);
    if (named == null) {
      return clients.stream()
          .map(ListenerAddress::name)
          .filter(DEFAULT_INTER_BROKER::equals)
          .findFirst()
          .orElse(clients.isEmpty() ? "" : clients.get(0).name());
    }
    String name = named.toUpperCase(Locale.ROOT);
    if (!clients.isEmpty() && clients.stream().noneMatch(one -> one.name().equals(name))) {
      throw InvalidSetting.of(
          HonouredSettings.INTER_BROKER_LISTENER_NAME.name(),
          named,
          "there is no listener of that name in listeners");
    }
    return name;
  }

  private static void refuseSecured(ListenerAddress listener) {
    if (!listener.securityProtocol().equals("PLAINTEXT")) {
      throw InvalidSetting.of(
          HonouredSettings.LISTENERS.name(),
          listener.toString(),
          listener.securityProtocol() + " is not supported yet, only PLAINTEXT is");
    }
  }

  private static void refuseTaken(List<ListenerAddress> earlier, ListenerAddress listener) {
    for (ListenerAddress other : earlier) {
      boolean samePort = listener.port() != 0 && listener.port() == other.port();
      if (other.name().equals(listener.name())
          || (samePort && other.host().equals(listener.host()))) {
        throw InvalidSetting.of(
            HonouredSettings.LISTENERS.name(),
            listener.toString(),
            "has the name or the address of " + other);
      }
    }
  }

  private static boolean isAnyAddress(String host) {
    return host.equals("0.0.0.0") || host.equals("::");
  }

  private static List<String> orEmpty(@Nullable List<String> list) {
    return list == null ? List.of() : list;
  }
}
