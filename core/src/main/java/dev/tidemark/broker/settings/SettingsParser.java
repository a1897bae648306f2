package dev.tidemark.broker.settings;

import dev.tidemark.metadata.BrokerKeys;
import dev.tidemark.metadata.DynamicOnlyKeys;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.common.config.ConfigDef.ConfigKey;
import org.jspecify.annotations.Nullable;

/** Goes through a server.properties once: parses, checks across keys, collects the warnings. */
public final class SettingsParser {
  private final Map<String, Object> values = new HashMap<>();
  private final Map<String, String> texts = new TreeMap<>();
  private final List<String> warnings = new ArrayList<>();
  private ListenerSettings listeners = ListenerSettings.NONE;

  private SettingsParser() {}

  /** Throws {@link InvalidSetting}. */
  public static SettingsParser parse(Map<String, String> properties) {
    SettingsParser parser = new SettingsParser();
    new TreeMap<>(properties).forEach(parser::parseOne);
    parser.checkRoles();
    parser.listeners = ListenerSettings.parse(parser::value);
    parser.checkQuorum();
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

  public ListenerSettings listeners() {
    return listeners;
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
    warnings.add(DynamicOnlyKeys.find(name) == null ? unknown(name) : dynamicOnly(name, text));
  }

  private static String dynamicOnly(String name, String text) {
    return "%1$s=%2$s of this file does not count, it is set while brokers run: with 'tidemark config set --cluster %1$s=%2$s' (or --broker ID)."
        .formatted(name, text.trim());
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
    List<String> roles = orEmpty(value(HonouredSettings.PROCESS_ROLES));
    if (roles.isEmpty()) {
      throw InvalidSetting.of(
          HonouredSettings.PROCESS_ROLES.name(), "", "must be broker, controller, or both");
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

  private void checkQuorum() {
    List<String> roles = orEmpty(value(HonouredSettings.PROCESS_ROLES));
    List<String> servers = orEmpty(value(HonouredSettings.CONTROLLER_QUORUM_BOOTSTRAP_SERVERS));
    checkVoters(roles);
    if (!roles.contains("controller") && servers.isEmpty()) {
      throw InvalidSetting.of(
          HonouredSettings.CONTROLLER_QUORUM_BOOTSTRAP_SERVERS.name(),
          "",
          "a node that is only a broker must be told where controllers are, as HOST:PORT,HOST:PORT");
    }
    List<String> names = orEmpty(value(HonouredSettings.CONTROLLER_LISTENER_NAMES));
    boolean isOfCluster = !servers.isEmpty() || !names.isEmpty(); // else it would be one by itself
    if (roles.contains("controller") && isOfCluster && listeners.controllers().isEmpty()) {
      throw InvalidSetting.of(
          HonouredSettings.LISTENERS.name(),
          String.join(",", orEmpty(value(HonouredSettings.LISTENERS))),
          "a controller of a cluster needs a listener that controller.listener.names names, which is '%s'"
              .formatted(String.join(",", names)));
    }
    int sessionMs = number(HonouredSettings.BROKER_SESSION_TIMEOUT_MS);
    int intervalMs = number(HonouredSettings.BROKER_HEARTBEAT_INTERVAL_MS);
    if (intervalMs * 2L > sessionMs) {
      throw InvalidSetting.of(
          HonouredSettings.BROKER_HEARTBEAT_INTERVAL_MS.name(),
          String.valueOf(intervalMs),
          "must be at most half of broker.session.timeout.ms, which is " + sessionMs);
    }
  }

  /** Voters stand in the metadata log; a list in a file could contradict it. */
  private void checkVoters(List<String> roles) {
    List<String> voters = orEmpty(value(HonouredSettings.CONTROLLER_QUORUM_VOTERS));
    Integer id = value(HonouredSettings.NODE_ID);
    boolean isAlone =
        roles.contains("controller") && voters.size() == 1 && voters.get(0).startsWith(id + "@");
    if (!voters.isEmpty() && !isAlone) {
      throw InvalidSetting.of(
          HonouredSettings.CONTROLLER_QUORUM_VOTERS.name(),
          String.join(",", voters),
          "who votes stands in the metadata log, not in a file: list the controllers' HOST:PORT in"
              + " controller.quorum.bootstrap.servers instead, and run 'tidemark format"
              + " --initial-controllers' on each of them");
    }
  }

  private int number(Setting<Integer> setting) {
    Integer value = value(setting);
    return value == null ? 0 : value;
  }

  private static List<String> orEmpty(@Nullable List<String> list) {
    return list == null ? List.of() : list;
  }

  @SuppressWarnings("unchecked") // a value is stored under the setting that parsed it
  private <T> @Nullable T value(Setting<T> setting) {
    Object value = values.get(setting.name());
    return value == null ? setting.defaultValue() : (T) value;
  }
}
