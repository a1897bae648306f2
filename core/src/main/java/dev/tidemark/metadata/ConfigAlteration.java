package dev.tidemark.metadata;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.apache.kafka.clients.admin.AlterConfigOp.OpType;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.message.AlterConfigsRequestData;
import org.apache.kafka.common.message.AlterConfigsResponseData;
import org.apache.kafka.common.message.IncrementalAlterConfigsRequestData;
import org.apache.kafka.common.message.IncrementalAlterConfigsRequestData.AlterConfigsResource;
import org.apache.kafka.common.message.IncrementalAlterConfigsRequestData.AlterableConfig;
import org.apache.kafka.common.message.IncrementalAlterConfigsResponseData;
import org.apache.kafka.common.message.IncrementalAlterConfigsResponseData.AlterConfigsResourceResponse;
import org.apache.kafka.common.metadata.ConfigRecord;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.image.MetadataImage;
import org.apache.kafka.server.common.ApiMessageAndVersion;
import org.jspecify.annotations.Nullable;

/** Decides IncrementalAlterConfigs (KIP-339) and the older AlterConfigs, which replaces all. */
final class ConfigAlteration {
  private final ConfigRules rules;

  ConfigAlteration(ConfigRules rules) {
    this.rules = rules;
  }

  Decision<IncrementalAlterConfigsResponseData> decide(
      MetadataImage image, IncrementalAlterConfigsRequestData request) {
    List<ApiMessageAndVersion> records = new ArrayList<>();
    IncrementalAlterConfigsResponseData response = new IncrementalAlterConfigsResponseData();
    Set<ConfigResource> seen = new HashSet<>();
    for (AlterConfigsResource asked : request.resources()) {
      ConfigResource resource = resource(asked.resourceType(), asked.resourceName());
      AlterConfigsResourceResponse result =
          new AlterConfigsResourceResponse()
              .setResourceType(asked.resourceType())
              .setResourceName(asked.resourceName());
      try {
        refuseTwice(seen, resource);
        Map<String, String> current = image.configs().configMapForResource(resource);
        Map<String, @Nullable String> proposed = changed(resource, current, asked);
        records.addAll(decideOne(image, resource, current, proposed));
      } catch (Refusal e) {
        result.setErrorCode(e.error().code()).setErrorMessage(e.message());
      }
      response.responses().add(result);
    }
    return request.validateOnly() ? Decision.of(response) : new Decision<>(records, response);
  }

  Decision<AlterConfigsResponseData> decide(MetadataImage image, AlterConfigsRequestData request) {
    List<ApiMessageAndVersion> records = new ArrayList<>();
    AlterConfigsResponseData response = new AlterConfigsResponseData();
    Set<ConfigResource> seen = new HashSet<>();
    for (AlterConfigsRequestData.AlterConfigsResource asked : request.resources()) {
      ConfigResource resource = resource(asked.resourceType(), asked.resourceName());
      AlterConfigsResponseData.AlterConfigsResourceResponse result =
          new AlterConfigsResponseData.AlterConfigsResourceResponse()
              .setResourceType(asked.resourceType())
              .setResourceName(asked.resourceName());
      try {
        refuseTwice(seen, resource);
        Map<String, String> current = image.configs().configMapForResource(resource);
        Map<String, @Nullable String> proposed = new TreeMap<>();
        for (AlterConfigsRequestData.AlterableConfig config : asked.configs()) {
          proposed.put(config.name(), notNull(config.name(), config.value()));
        }
        records.addAll(decideOne(image, resource, current, proposed));
      } catch (Refusal e) {
        result.setErrorCode(e.error().code()).setErrorMessage(e.message());
      }
      response.responses().add(result);
    }
    return request.validateOnly() ? Decision.of(response) : new Decision<>(records, response);
  }

  private static ConfigResource resource(byte type, String name) {
    return new ConfigResource(ConfigResource.Type.forId(type), name);
  }

  private static void refuseTwice(Set<ConfigResource> seen, ConfigResource resource) {
    if (!seen.add(resource)) {
      throw new Refusal(
          Errors.INVALID_REQUEST,
          "Each resource must appear at most once; %s appears twice.".formatted(resource));
    }
  }

  private List<ApiMessageAndVersion> decideOne(
      MetadataImage image,
      ConfigResource resource,
      Map<String, String> current,
      Map<String, @Nullable String> proposed) {
    rules.check(image, resource, current, proposed);
    List<ApiMessageAndVersion> records = new ArrayList<>();
    for (String key : new TreeMap<>(current).keySet()) {
      if (!proposed.containsKey(key)) {
        records.add(record(resource, key, null));
      }
    }
    for (Map.Entry<String, @Nullable String> entry : proposed.entrySet()) {
      if (!Objects.equals(entry.getValue(), current.get(entry.getKey()))) {
        records.add(record(resource, entry.getKey(), entry.getValue()));
      }
    }
    return records;
  }

  private static ApiMessageAndVersion record(
      ConfigResource resource, String key, @Nullable String value) {
    return new ApiMessageAndVersion(
        new ConfigRecord()
            .setResourceType(resource.type().id())
            .setResourceName(resource.name())
            .setName(key)
            .setValue(value),
        (short) 0);
  }

  /** The resource's configs after the asked changes, sorted by key. */
  private Map<String, @Nullable String> changed(
      ConfigResource resource, Map<String, String> current, AlterConfigsResource asked) {
    Map<String, @Nullable String> proposed = new TreeMap<>(current);
    Set<String> keys = new HashSet<>();
    for (AlterableConfig config : asked.configs()) {
      String key = config.name();
      if (!keys.add(key)) {
        throw new Refusal(Errors.INVALID_REQUEST, "Error due to duplicate config keys: " + key);
      }
      OpType operation = operation(config);
      switch (operation) {
        case SET -> proposed.put(key, notNull(key, config.value()));
        case DELETE -> proposed.remove(key);
        case APPEND -> {
          List<String> parts = listParts(resource, current, key, operation);
          for (String part : ConfigRules.split(notNull(key, config.value()))) {
            if (!parts.contains(part)) {
              parts.add(part);
            }
          }
          proposed.put(key, String.join(",", parts));
        }
        case SUBTRACT -> {
          List<String> parts = listParts(resource, current, key, operation);
          if (parts.removeAll(ConfigRules.split(notNull(key, config.value())))) {
            proposed.put(key, String.join(",", parts));
          }
        }
        default -> throw new Refusal(Errors.INVALID_REQUEST, "Unknown operation " + operation);
      }
    }
    return proposed;
  }

  private static OpType operation(AlterableConfig config) {
    OpType operation = OpType.forId(config.configOperation());
    if (operation == null) {
      throw new Refusal(
          Errors.INVALID_REQUEST,
          "Unknown operation %d on %s.".formatted(config.configOperation(), config.name()));
    }
    return operation;
  }

  private List<String> listParts(
      ConfigResource resource, Map<String, String> current, String key, OpType operation) {
    if (!rules.isList(resource.type(), key)) {
      throw new Refusal(
          Errors.INVALID_CONFIG,
          "Can't %s to key %s because its type is not LIST.".formatted(operation, key));
    }
    String value = current.get(key);
    return ConfigRules.split(value == null ? rules.defaultOf(resource.type(), key) : value);
  }

  private static String notNull(String key, @Nullable String value) {
    if (value == null) {
      throw new Refusal(Errors.INVALID_REQUEST, "Null value not supported for: " + key);
    }
    return value;
  }
}
