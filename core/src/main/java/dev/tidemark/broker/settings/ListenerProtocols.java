package dev.tidemark.broker.settings;

import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** The value of {@code listener.security.protocol.map}. */
record ListenerProtocols(Map<String, String> byListener) {
  private static final Set<String> PROTOCOLS =
      Set.of("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL");

  static ListenerProtocols parse(List<String> elements, List<String> controllerListeners) {
    String key = HonouredSettings.LISTENER_SECURITY_PROTOCOL_MAP.name();
    Map<String, String> map = new HashMap<>();
    // As in Kafka, a controller listener that the map does not name is a plain one.
    for (String controllerListener : controllerListeners) {
      map.put(controllerListener.toUpperCase(Locale.ROOT), "PLAINTEXT");
    }
    for (String element : elements) {
      int colon = element.indexOf(':');
      String protocol = element.substring(colon + 1).trim().toUpperCase(Locale.ROOT);
      if (colon <= 0 || !PROTOCOLS.contains(protocol)) {
        throw InvalidSetting.of(
            key,
            element,
            "must be LISTENER:PROTOCOL with PLAINTEXT, SSL, SASL_PLAINTEXT or SASL_SSL");
      }
      map.put(element.substring(0, colon).trim().toUpperCase(Locale.ROOT), protocol);
    }
    return new ListenerProtocols(map);
  }

  String of(String key, String text, String listener) {
    String protocol = byListener.get(listener);
    if (protocol == null) {
      throw InvalidSetting.of(
          key,
          text,
          "no security protocol is set for " + listener + " in listener.security.protocol.map");
    }
    return protocol;
  }
}
