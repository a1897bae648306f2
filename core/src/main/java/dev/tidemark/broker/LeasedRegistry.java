package dev.tidemark.broker;

import java.util.function.Consumer;
import java.util.function.Predicate;
import org.apache.kafka.common.errors.NotCoordinatorException;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.requests.FetchRequest;

/**
 * Registers what only a leader, or a coordinator, may answer.
 *
 * <p>A request that comes while the lease has lapsed waits briefly for its renewal; without one,
 * whoever leads by then is another node, and the client is told to look for it. An answer that
 * tells how things stand here leaves only if the lease still holds when it does: between the
 * question and the answer this process may have stood still for longer than the lease. An answer
 * that rests on what the in-sync replicas have is true whenever it leaves.
 */
final class LeasedRegistry {
  private static final short ALL_IN_SYNC = -1;

  private final HandlerRegistry registry;
  private final ServingLease lease;

  LeasedRegistry(HandlerRegistry registry, ServingLease lease) {
    this.registry = registry;
    this.lease = lease;
  }

  /** A partition's leader is asked how things stand; the handler refuses what is not led here. */
  LeasedRegistry leaderTells(ApiKeys api, RequestHandler handler) {
    return add(api, handler, request -> true, handler::handle);
  }

  /** A partition's leader is asked to change something on all replicas. */
  LeasedRegistry leaderCommits(ApiKeys api, RequestHandler handler) {
    return add(api, handler, request -> false, handler::handle);
  }

  /** A group's coordinator is asked how things stand. */
  LeasedRegistry coordinatorTells(ApiKeys api, RequestHandler handler) {
    return add(api, handler, request -> true, LeasedRegistry::isNoCoordinator);
  }

  /** A group's coordinator is asked for something that its log takes first. */
  LeasedRegistry coordinatorCommits(ApiKeys api, RequestHandler handler) {
    return add(api, handler, request -> false, LeasedRegistry::isNoCoordinator);
  }

  /** What is acknowledged by the leader alone rests on its lease. */
  LeasedRegistry produce(RequestHandler handler) {
    return add(
        ApiKeys.PRODUCE,
        handler,
        request -> request.data(ProduceRequestData.class).acks() != ALL_IN_SYNC,
        handler::handle);
  }

  /**
   * Followers are served whatever the lease: they know their leader by its epoch. Of a consumer's
   * answer the handler knows whether it is a leader's.
   */
  LeasedRegistry fetch(RequestHandler handler) {
    Consumer<Request> withoutLease = handler::handle;
    registry.add(
        ApiKeys.FETCH,
        request -> {
          int replica = FetchRequest.replicaId(request.data(FetchRequestData.class));
          if (FetchRequest.isValidBrokerId(replica)) {
            handler.handle(request);
          } else {
            lease.serve(request, handler, false, withoutLease);
          }
        });
    return this;
  }

  private LeasedRegistry add(
      ApiKeys api,
      RequestHandler handler,
      Predicate<Request> tells,
      Consumer<Request> withoutLease) {
    registry.add(api, request -> lease.serve(request, handler, tells.test(request), withoutLease));
    return this;
  }

  private static void isNoCoordinator(Request request) {
    request.fail(
        new NotCoordinatorException(
            "This broker has not heard from the controller for too long to serve"));
  }
}
