package dev.tidemark.broker.settings;

import dev.tidemark.metadata.BrokerKeys;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.common.config.ConfigDef.ConfigKey;
import org.jspecify.annotations.Nullable;

/** Goes through a server.properties once: parses, checks across keys, collects the warnings. */
public final class SettingsParser {
  private final Map<String, Object> values = new HashMap<>();
  private final Map<String, String> texts = new TreeMap<>();
  private final List<String> warnings = new ArrayList<>();
  private List<ListenerAddress> listeners = List.of();
  private List<ListenerAddress> advertisedListeners = List.of();

  private SettingsParser() {}

  /** Throws {@link InvalidSetting}. */
  public static SettingsParser parse(Map<String, String> properties) {
    SettingsParser parser = new SettingsParser();
    new TreeMap<>(properties).forEach(parser::parseOne);
    parser.checkRoles();
    parser.parseListeners();
    return parser;
  }

  /** Parsed values by key. */
  public Map<String, Object> values() {
    return Map.copyOf(values);
  }

  /** The texts of all known keys, sorted by key. */
  public Map<String, String> texts() {
    return new TreeMap<>(texts);
  }

  public List<String> warnings() {
    return List.copyOf(warnings);
  }

  public List<ListenerAddress> listeners() {
    return listeners;
  }

  public List<ListenerAddress> advertisedListeners() {
    return advertisedListeners;
  }

  private void parseOne(String name, String text) {
    Setting<?> honoured = HonouredSettings.find(name);
    if (honoured != null) {
      Object value = honoured.parse(text);
      values.put(name, value);
      texts.put(name, text.trim());
      if (honoured.name().equals(HonouredSettings.MIN_INSYNC_REPLICAS.name())) {
        warnings.add(ofTheCluster(name, text.trim()));
      }
      return;
    }
    ConfigKey key = BrokerKeys.find(name);
    if (key != null) {
      try {
        BrokerKeys.parse(key, text);
      } catch (IllegalArgumentException e) {
        throw new InvalidSetting(String.valueOf(e.getMessage()));
      }
      texts.put(name, text.trim());
      if (!BrokerKeys.isForGroups(name)) {
        warnings.add(name + " is a key of Kafka that has no effect in Tidemark; it is ignored.");
      }
      return;
    }
    warnings.add(unknown(name));
  }

  /** Kept in the metadata, which formatting gives a value: that of a file would seldom count. */
  private static String ofTheCluster(String name, String value) {
    return "%1$s=%2$s of this file does not count, the cluster's metadata has a value for all brokers; set it there with 'tidemark config set --cluster %1$s=%2$s' (or --topic NAME) and take it out of the file."
        .formatted(name, value);
  }

  private static String unknown(String name) {
    List<String> known = new ArrayList<>();
    HonouredSettings.all().forEach(setting -> known.add(setting.name()));
    known.addAll(BrokerKeys.keys().keySet());
    String nearest = NearestName.find(name, known);
    return "Unknown key "
        + name
        + (nearest == null ? "; it is ignored." : "; it is ignored. Did you mean " + nearest + "?");
  }

  private void checkRoles() {
    List<String> roles = value(HonouredSettings.PROCESS_ROLES);
    if (roles != null && !roles.contains("broker")) {
      throw InvalidSetting.of(
          HonouredSettings.PROCESS_ROLES.name(),
          String.join(",", roles),
          "must contain broker; nodes that are only controllers are not supported yet");
    }
    if (roles != null && !roles.contains("controller")) {
      throw InvalidSetting.of(
          HonouredSettings.PROCESS_ROLES.name(),
          String.join(",", roles),
          "must contain controller as well; nodes that are only brokers are not supported yet");
    }
    List<String> folders = value(HonouredSettings.LOG_DIRS);
    if (folders == null) {
      folders = value(HonouredSettings.LOG_DIR);
    }
    if (folders == null || folders.isEmpty()) {
      throw InvalidSetting.of(
          HonouredSettings.LOG_DIRS.name(), "", "must name at least one folder");
    }
  }

  private void parseListeners() {
    List<String> controllerNames = upperCase(value(HonouredSettings.CONTROLLER_LISTENER_NAMES));
    ListenerProtocols protocols =
        ListenerProtocols.parse(
            orEmpty(value(HonouredSettings.LISTENER_SECURITY_PROTOCOL_MAP)), controllerNames);
    List<ListenerAddress> all = new ArrayList<>();
    String key = HonouredSettings.LISTENERS.name();
    for (String text : orEmpty(value(HonouredSettings.LISTENERS))) {
      ListenerAddress listener = ListenerAddress.parse(key, text, protocols);
      if (controllerNames.contains(listener.name())) {
        warnings.add(
            "The controller listener " + listener + " is not opened: one node needs none.");
      } else {
        refuseSecured(listener);
        refuseTaken(all, listener);
        all.add(listener);
      }
    }
    if (all.isEmpty()) {
      throw InvalidSetting.of(key, "", "must name at least one listener for clients");
    }
    listeners = List.copyOf(all);
    parseAdvertised(protocols, controllerNames);
  }

  private void parseAdvertised(ListenerProtocols protocols, List<String> controllerNames) {
    String key = HonouredSettings.ADVERTISED_LISTENERS.name();
    Map<String, ListenerAddress> told = new HashMap<>();
    for (String text : orEmpty(value(HonouredSettings.ADVERTISED_LISTENERS))) {
      ListenerAddress address = ListenerAddress.parse(key, text, protocols);
      if (listeners.stream().anyMatch(known -> known.name().equals(address.name()))) {
        if (isAnyAddress(address.host())) {
          throw InvalidSetting.of(key, text, "must be an address that clients can connect to");
        }
        told.put(address.name(), address);
      } else if (!controllerNames.contains(address.name())) {
        throw InvalidSetting.of(key, text, "there is no listener of that name in listeners");
      }
    }
    List<ListenerAddress> advertised = new ArrayList<>();
    for (ListenerAddress listener : listeners) {
      ListenerAddress address = told.get(listener.name());
      if (address == null) {
        address = isAnyAddress(listener.host()) ? listener.withHost("") : listener;
      }
      advertised.add(address);
    }
    advertisedListeners = List.copyOf(advertised);
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

  private static List<String> upperCase(@Nullable List<String> names) {
    return orEmpty(names).stream().map(name -> name.toUpperCase(Locale.ROOT)).toList();
  }

  @SuppressWarnings("unchecked") // a value is stored under the setting that parsed it
  private <T> @Nullable T value(Setting<T> setting) {
    Object value = values.get(setting.name());
    return value == null ? setting.defaultValue() : (T) value;
  }
}
