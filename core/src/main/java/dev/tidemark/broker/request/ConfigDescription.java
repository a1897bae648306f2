package dev.tidemark.broker.request;

import dev.tidemark.metadata.EffectiveConfigs.Level;
import java.util.List;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigDef.ConfigKey;
import org.apache.kafka.common.message.DescribeConfigsResponseData.DescribeConfigsResourceResult;
import org.apache.kafka.common.message.DescribeConfigsResponseData.DescribeConfigsSynonym;
import org.apache.kafka.common.requests.DescribeConfigsResponse.ConfigSource;
import org.apache.kafka.common.requests.DescribeConfigsResponse.ConfigType;
import org.jspecify.annotations.Nullable;

/**
 * One key and the values it has.
 *
 * @param levels the one that holds first; they are told as synonyms
 * @param fallback what holds where there is no level
 * @param readOnly whether it can only be changed by a restart
 */
record ConfigDescription(
    ConfigKey key, List<Level> levels, @Nullable String fallback, boolean readOnly) {

  ConfigDescription(ConfigKey key, List<Level> levels, boolean readOnly) {
    this(key, levels, null, readOnly);
  }

  /** The default as text, or null where there is none. */
  static @Nullable String defaultOf(ConfigKey key) {
    return key.hasDefault() ? ConfigDef.convertToString(key.defaultValue, key.type) : null;
  }

  DescribeConfigsResourceResult describe(ConfigDescriptions.Detail detail) {
    boolean sensitive = key.type == ConfigDef.Type.PASSWORD;
    DescribeConfigsResourceResult result =
        new DescribeConfigsResourceResult()
            .setName(key.name)
            .setReadOnly(readOnly)
            .setIsSensitive(sensitive)
            .setConfigType(type().id())
            .setConfigSource(ConfigSource.DEFAULT_CONFIG.id())
            .setValue(sensitive ? null : fallback)
            .setDocumentation(null);
    if (!levels.isEmpty()) {
      Level holding = levels.get(0);
      result.setValue(sensitive ? null : holding.value()).setConfigSource(holding.source().id());
    }
    if (detail.synonyms()) {
      for (Level level : levels) {
        result
            .synonyms()
            .add(
                new DescribeConfigsSynonym()
                    .setName(level.name())
                    .setValue(sensitive ? null : level.text())
                    .setSource(level.source().id()));
      }
    }
    if (detail.documentation()) {
      result.setDocumentation(key.documentation);
    }
    return result;
  }

  private ConfigType type() {
    return switch (key.type) {
      case BOOLEAN -> ConfigType.BOOLEAN;
      case STRING -> ConfigType.STRING;
      case INT -> ConfigType.INT;
      case SHORT -> ConfigType.SHORT;
      case LONG -> ConfigType.LONG;
      case DOUBLE -> ConfigType.DOUBLE;
      case LIST -> ConfigType.LIST;
      case CLASS -> ConfigType.CLASS;
      case PASSWORD -> ConfigType.PASSWORD;
    };
  }
}
