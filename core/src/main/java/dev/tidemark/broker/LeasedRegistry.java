package dev.tidemark.broker;

import org.apache.kafka.common.errors.NotCoordinatorException;
import org.apache.kafka.common.protocol.ApiKeys;

/**
 * Registers what group coordinators answer. While this broker may not serve as a leader, another
 * one may coordinate its groups already: it answers none of it.
 */
final class LeasedRegistry {
  private final HandlerRegistry registry;
  private final Partitions partitions;

  LeasedRegistry(HandlerRegistry registry, Partitions partitions) {
    this.registry = registry;
    this.partitions = partitions;
  }

  LeasedRegistry add(ApiKeys api, RequestHandler handler) {
    registry.add(
        api,
        request -> {
          if (partitions.mayServe()) {
            handler.handle(request);
          } else {
            request.fail(
                new NotCoordinatorException(
                    "This broker has not heard from the controller for too long to serve"));
          }
        });
    return this;
  }
}
