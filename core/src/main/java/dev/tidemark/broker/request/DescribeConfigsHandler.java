package dev.tidemark.broker.request;

import dev.tidemark.broker.Request;
import dev.tidemark.broker.RequestHandler;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.message.DescribeConfigsRequestData;
import org.apache.kafka.common.message.DescribeConfigsRequestData.DescribeConfigsResource;
import org.apache.kafka.common.message.DescribeConfigsResponseData;
import org.apache.kafka.common.message.DescribeConfigsResponseData.DescribeConfigsResourceResult;
import org.apache.kafka.common.message.DescribeConfigsResponseData.DescribeConfigsResult;
import org.apache.kafka.common.protocol.Errors;

/** DescribeConfigs: every key of a resource with its value, where it comes from and its default. */
public final class DescribeConfigsHandler implements RequestHandler {
  private final ConfigDescriptions descriptions;

  public DescribeConfigsHandler(ConfigDescriptions descriptions) {
    this.descriptions = descriptions;
  }

  @Override
  public void handle(Request request) {
    DescribeConfigsRequestData data = request.data(DescribeConfigsRequestData.class);
    DescribeConfigsResponseData response = new DescribeConfigsResponseData();
    Set<ConfigResource> seen = new HashSet<>();
    for (DescribeConfigsResource resource : data.resources()) {
      if (!seen.add(
          new ConfigResource(
              ConfigResource.Type.forId(resource.resourceType()), resource.resourceName()))) {
        continue; // told once: else few bytes asked for a huge answer
      }
      response.results().add(describe(data, resource));
    }
    request.answer(response);
  }

  DescribeConfigsResult describe(
      DescribeConfigsRequestData data, DescribeConfigsResource resource) {
    DescribeConfigsResult result =
        new DescribeConfigsResult()
            .setResourceType(resource.resourceType())
            .setResourceName(resource.resourceName());
    try {
      List<DescribeConfigsResourceResult> configs =
          descriptions.describe(
              new ConfigResource(
                  ConfigResource.Type.forId(resource.resourceType()), resource.resourceName()),
              new ConfigDescriptions.Detail(data.includeSynonyms(), data.includeDocumentation()));
      // Both no list and an empty one ask for all keys, as in Kafka.
      if (resource.configurationKeys() != null && !resource.configurationKeys().isEmpty()) {
        Set<String> asked = new TreeSet<>(resource.configurationKeys());
        configs = configs.stream().filter(config -> asked.contains(config.name())).toList();
      }
      return result.setConfigs(configs);
    } catch (ApiException e) {
      return result.setErrorCode(Errors.forException(e).code()).setErrorMessage(e.getMessage());
    }
  }
}
