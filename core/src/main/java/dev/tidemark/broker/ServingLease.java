package dev.tidemark.broker;

import dev.tidemark.broker.control.LeaderLease;
import dev.tidemark.env.Clock;
import dev.tidemark.env.Timers;
import dev.tidemark.metadata.MetadataListener;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.apache.kafka.image.MetadataDelta;
import org.apache.kafka.image.MetadataImage;
import org.apache.kafka.image.TopicsDelta;
import org.jspecify.annotations.Nullable;

/**
 * The leader's lease as requests meet it. Owned by the data shard.
 *
 * <p>Whoever meets a lapsed lease waits for as long as its margin. If it is not renewed by then the
 * controller may have let others lead; and when the metadata say that others lead, nobody waits
 * here to be told so.
 */
final class ServingLease implements MetadataListener {
  private final LeaderLease lease;
  private final int nodeId;
  private final Clock clock;
  private final Timers timers;
  private final BooleanSupplier held = this::isHeld; // one for all requests
  private final Set<Waiting> waiting = new LinkedHashSet<>();

  ServingLease(LeaderLease lease, int nodeId, Clock clock, Timers timers) {
    this.lease = lease;
    this.nodeId = nodeId;
    this.clock = clock;
    this.timers = timers;
    lease.whenGranted(this::endAll);
  }

  boolean isHeld() {
    return lease.isHeld(clock.monotonicMs());
  }

  /** How many requests wait for the renewal. */
  int waiting() {
    return waiting.size();
  }

  /**
   * Handles a request now, or once the lease is renewed.
   *
   * @param tells the answer must not leave without the lease
   * @param withoutLease handles it when the renewal does not come
   */
  void serve(
      Request request, RequestHandler handler, boolean tells, Consumer<Request> withoutLease) {
    if (isHeld()) {
      serveHeld(request, handler, tells);
    } else {
      new Waiting(request, handler, tells, withoutLease).start();
    }
  }

  private void serveHeld(Request request, RequestHandler handler, boolean tells) {
    if (tells) {
      request.leavesOnlyWhile(held);
    }
    handler.handle(request);
  }

  /** After the roles have changed. */
  @Override
  public void onMetadataUpdate(MetadataDelta delta, MetadataImage image) {
    TopicsDelta topics = delta.topicsDelta();
    if (!waiting.isEmpty()
        && topics != null
        && !topics.localChanges(nodeId).followers().isEmpty()) {
      endAll();
    }
  }

  private void endAll() {
    List.copyOf(waiting).forEach(Waiting::end);
  }

  /** A request that waits for the renewal. */
  private final class Waiting {
    private final Request request;
    private final RequestHandler handler;
    private final boolean tells;
    private final Consumer<Request> withoutLease;
    private Timers.@Nullable Timer timer;

    Waiting(
        Request request, RequestHandler handler, boolean tells, Consumer<Request> withoutLease) {
      this.request = request;
      this.handler = handler;
      this.tells = tells;
      this.withoutLease = withoutLease;
    }

    void start() {
      waiting.add(this);
      request.takesLonger();
      timer = timers.schedule(lease.marginMs(), this::end);
    }

    /** Its time is over, or the lease is there. */
    void end() {
      if (waiting.remove(this)) {
        if (timer != null) {
          timer.cancel();
        }
        request.resume(this::handle);
      }
    }

    private void handle() {
      if (isHeld() && !request.isAbandoned()) {
        serveHeld(request, handler, tells);
      } else if (!request.isAbandoned()) {
        withoutLease.accept(request);
      }
    }
  }
}
