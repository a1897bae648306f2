package dev.tidemark.broker.request;

import dev.tidemark.env.LogLevels;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.admin.AlterConfigOp.OpType;
import org.apache.kafka.common.config.LogLevelConfig;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.errors.InvalidConfigurationException;
import org.apache.kafka.common.errors.InvalidRequestException;
import org.apache.kafka.common.message.DescribeConfigsResponseData.DescribeConfigsResourceResult;
import org.apache.kafka.common.message.IncrementalAlterConfigsRequestData.AlterConfigsResource;
import org.apache.kafka.common.message.IncrementalAlterConfigsRequestData.AlterableConfig;
import org.apache.kafka.common.message.IncrementalAlterConfigsResponseData.AlterConfigsResourceResponse;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.DescribeConfigsResponse.ConfigSource;
import org.apache.kafka.common.requests.DescribeConfigsResponse.ConfigType;

/** The levels of this broker's loggers as configs (KIP-412). They are not kept over a restart. */
public final class LoggerConfigs {
  private final int nodeId;
  private final LogLevels levels;

  public LoggerConfigs(int nodeId, LogLevels levels) {
    this.nodeId = nodeId;
    this.levels = levels;
  }

  List<DescribeConfigsResourceResult> describe(String broker) {
    checkBroker(broker);
    List<DescribeConfigsResourceResult> all = new ArrayList<>();
    levels
        .levels()
        .forEach(
            (logger, level) ->
                all.add(
                    new DescribeConfigsResourceResult()
                        .setName(logger)
                        .setValue(level)
                        .setConfigSource(ConfigSource.DYNAMIC_BROKER_LOGGER_CONFIG.id())
                        .setConfigType(ConfigType.UNKNOWN.id())
                        .setDocumentation("")));
    return all;
  }

  /** Changes the levels, all or none; the answer says why it did not. */
  AlterConfigsResourceResponse alter(AlterConfigsResource asked, boolean validateOnly) {
    AlterConfigsResourceResponse result =
        new AlterConfigsResourceResponse()
            .setResourceType(asked.resourceType())
            .setResourceName(asked.resourceName())
            .setErrorMessage(null);
    try {
      checkBroker(asked.resourceName());
      Map<String, String> known = levels.levels();
      Set<String> seen = new HashSet<>();
      for (AlterableConfig config : asked.configs()) {
        if (!seen.add(config.name())) {
          throw new InvalidRequestException("The request names " + config.name() + " twice.");
        }
        check(known, config);
      }
      if (!validateOnly) {
        asked.configs().forEach(this::apply);
      }
    } catch (ApiException e) {
      result.setErrorCode(Errors.forException(e).code()).setErrorMessage(e.getMessage());
    }
    return result;
  }

  private void checkBroker(String broker) {
    if (!broker.equals(Integer.toString(nodeId))) {
      throw new InvalidRequestException(
          "The loggers of broker '%s' are not here: ask it itself; this is broker %d."
              .formatted(broker, nodeId));
    }
  }

  private static void check(Map<String, String> known, AlterableConfig config) {
    String logger = config.name();
    OpType operation = OpType.forId(config.configOperation());
    if (operation == OpType.SET) {
      if (config.value() == null) {
        throw new InvalidRequestException("Null is no level for " + logger + ".");
      }
      if (!known.containsKey(logger)) {
        throw new InvalidConfigurationException("There is no logger " + logger + ".");
      }
      if (!LogLevelConfig.VALID_LOG_LEVELS.contains(config.value())) {
        throw new InvalidConfigurationException(
            "%s is no level for %s; levels are %s."
                .formatted(
                    config.value(), logger, String.join(", ", LogLevelConfig.VALID_LOG_LEVELS)));
      }
    } else if (operation == OpType.DELETE) {
      if (!known.containsKey(logger)) {
        throw new InvalidConfigurationException("There is no logger " + logger + ".");
      }
      if (logger.equals(LogLevels.ROOT)) {
        throw new InvalidRequestException("The level of " + logger + " cannot be taken away.");
      }
    } else {
      throw new InvalidRequestException(
          "The level of %s can be set and taken away, nothing else.".formatted(logger));
    }
  }

  private void apply(AlterableConfig config) {
    if (OpType.forId(config.configOperation()) == OpType.DELETE) {
      levels.unset(config.name());
    } else {
      levels.set(config.name(), config.value());
    }
  }
}
