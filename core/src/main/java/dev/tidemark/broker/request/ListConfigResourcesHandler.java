package dev.tidemark.broker.request;

import dev.tidemark.broker.Request;
import dev.tidemark.broker.RequestHandler;
import dev.tidemark.metadata.MetadataView;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.message.ListConfigResourcesRequestData;
import org.apache.kafka.common.message.ListConfigResourcesResponseData;
import org.apache.kafka.common.protocol.Errors;

/**
 * ListConfigResources: what configs can be described of (KIP-1142). Its version 0 is the former
 * ListClientMetricsResources.
 */
public final class ListConfigResourcesHandler implements RequestHandler {
  private static final List<ConfigResource.Type> ALL =
      List.of(
          ConfigResource.Type.TOPIC,
          ConfigResource.Type.BROKER,
          ConfigResource.Type.BROKER_LOGGER,
          ConfigResource.Type.CLIENT_METRICS,
          ConfigResource.Type.GROUP);

  private final MetadataView view;

  public ListConfigResourcesHandler(MetadataView view) {
    this.view = view;
  }

  @Override
  public void handle(Request request) {
    ListConfigResourcesResponseData response = new ListConfigResourcesResponseData();
    for (ConfigResource.Type type : asked(request)) {
      if (!ALL.contains(type)) {
        request.answer(
            new ListConfigResourcesResponseData().setErrorCode(Errors.UNSUPPORTED_VERSION.code()));
        return;
      }
      for (String name : names(type)) {
        response
            .configResources()
            .add(
                new ListConfigResourcesResponseData.ConfigResource()
                    .setResourceName(name)
                    .setResourceType(type.id()));
      }
    }
    request.answer(response);
  }

  private static Collection<ConfigResource.Type> asked(Request request) {
    if (request.version() == 0) {
      return List.of(ConfigResource.Type.CLIENT_METRICS);
    }
    List<Byte> codes = request.data(ListConfigResourcesRequestData.class).resourceTypes();
    if (codes.isEmpty()) {
      return ALL;
    }
    Set<ConfigResource.Type> types = new LinkedHashSet<>();
    codes.forEach(code -> types.add(ConfigResource.Type.forId(code)));
    return types;
  }

  private Collection<String> names(ConfigResource.Type type) {
    return switch (type) {
      case TOPIC -> new TreeSet<>(view.image().topics().topicsByName().keySet());
      case BROKER, BROKER_LOGGER -> brokers();
      default -> configured(type);
    };
  }

  private Collection<String> brokers() {
    Set<String> names = new TreeSet<>();
    view.image()
        .cluster()
        .brokers()
        .forEach(
            (id, broker) -> {
              if (!broker.fenced()) {
                names.add(Integer.toString(id));
              }
            });
    return names;
  }

  private Collection<String> configured(ConfigResource.Type type) {
    Set<String> names = new TreeSet<>();
    view.image()
        .configs()
        .resourceData()
        .keySet()
        .forEach(
            resource -> {
              if (resource.type() == type) {
                names.add(resource.name());
              }
            });
    return names;
  }
}
