package dev.tidemark.cli;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What {@code server} and {@code format} were asked for.
 *
 * @param config the path of server.properties
 * @param overrides settings that win over those of the file
 */
record ServerOptions(String config, Map<String, String> overrides) {
  /** Null when there is anything but these options in their plain form. */
  static @Nullable ServerOptions parsePlain(List<String> args) {
    String config = null;
    Map<String, String> overrides = new LinkedHashMap<>();
    for (int i = 0; i + 1 < args.size(); i += 2) {
      String value = args.get(i + 1);
      if (args.get(i).equals("--config") && config == null && !value.startsWith("-")) {
        config = value;
      } else if (args.get(i).equals("--override") && value.indexOf('=') > 0) {
        int equals = value.indexOf('=');
        overrides.put(value.substring(0, equals).strip(), value.substring(equals + 1).strip());
      } else {
        return null;
      }
    }
    return config == null || args.size() % 2 != 0 ? null : new ServerOptions(config, overrides);
  }
}
