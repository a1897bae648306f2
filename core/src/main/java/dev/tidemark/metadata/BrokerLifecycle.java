package dev.tidemark.metadata;

import dev.tidemark.env.Clock;
import dev.tidemark.env.Shard;
import dev.tidemark.env.Timers;
import dev.tidemark.protocol.SessionField;
import java.util.List;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import org.apache.kafka.common.message.BrokerHeartbeatRequestData;
import org.apache.kafka.common.message.BrokerHeartbeatResponseData;
import org.apache.kafka.common.message.BrokerRegistrationRequestData;
import org.apache.kafka.image.MetadataDelta;
import org.apache.kafka.image.MetadataImage;
import org.apache.kafka.metadata.BrokerRegistration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks after brokers from their registration to their end: heartbeats and their answers, silence,
 * probes, and partitions that wait for their old leader to stop. Runs on the control shard; without
 * brokers in other processes it sets no timer.
 */
final class BrokerLifecycle {
  private static final Logger LOG = LoggerFactory.getLogger(BrokerLifecycle.class);

  /** How long heartbeats that need a record wait for others to share it. */
  static final long ACK_TICK_MS = 20;

  /** The same for those that are in no hurry, at most; brokers send about at the same time. */
  static final long PATIENT_MS = 100;

  /** Nobody waits longer than this part of what a lease is shorter than a session. */
  private static final int PATIENT_DIVISOR = 4;

  /** Until an election whose record could not be written is tried again. */
  private static final long RETRY_MS = 500;

  /** At least between two looks at sessions and leases. */
  private static final long MIN_CHECK_MS = 10;

  private final DecisionLoop loop;
  private final ElectionContext context;
  private final BrokerControlSettings settings;
  private final LongSupplier nextOffset;
  private final Clock clock;
  private final Timers timers;
  private final HeartbeatAcks acks = new HeartbeatAcks();
  private final AckRecords ackRecords;
  private final FencingProbes probes;
  private Timers.@Nullable Timer check;
  private long checkAtMs = Long.MAX_VALUE;
  private boolean electing;

  /** {@code nextOffset} tells the offset the next record will have. */
  BrokerLifecycle(
      DecisionLoop loop,
      ElectionContext context,
      BrokerControlSettings settings,
      BrokerProbe probe,
      LongSupplier nextOffset,
      Shard control) {
    this.loop = loop;
    this.context = context;
    this.settings = settings;
    this.nextOffset = nextOffset;
    this.clock = control.clock();
    this.timers = control.timers();
    this.ackRecords = new AckRecords(loop, acks, clock, timers);
    this.probes =
        new FencingProbes(
            settings.fastFencing() ? probe : BrokerProbe.none(), timers, this::onProvenDead);
  }

  HeartbeatAcks acks() {
    return acks;
  }

  /** This node decides from now on: everyone has a whole session, but who is dead is found out. */
  void onActive() {
    long nowMs = clock.monotonicMs();
    MetadataImage image = loop.image();
    context.liveness().onActive(image, nowMs);
    context.handovers().onActive(image, context.index().leaderless(), nowMs);
    context.floors().onActive(image);
    probes.forgetAll();
    for (BrokerRegistration broker : new TreeMap<>(image.cluster().brokers()).values()) {
      if (!broker.fenced()) {
        probes.begin(broker);
      }
    }
    scheduleCheck();
  }

  /** Another node decides from now on. */
  void onResigned() {
    if (check != null) {
      check.cancel();
      check = null;
    }
    checkAtMs = Long.MAX_VALUE;
    probes.forgetAll();
    acks.onResigned();
  }

  /** The broker in this process. The reply is its epoch. */
  void registerLocal(BrokerIncarnation broker, Reply<Long> reply) {
    int id = broker.brokerId();
    context.liveness().onRegistered(id, -1, true, clock.monotonicMs());
    loop.decide(
        image -> {
          BrokerRegistration existing = image.cluster().broker(id);
          long previous = broker.afterCleanStop() && existing != null ? existing.epoch() : -1;
          return BrokerRegistering.decideLocal(
              image,
              context,
              BrokerRegistering.request(broker, previous),
              now -> nextOffset.getAsLong());
        },
        new OnRegistered(id, true, reply));
  }

  /** A broker elsewhere. The reply is its epoch. */
  void register(BrokerRegistrationRequestData request, Reply<Long> reply) {
    long nowMs = clock.monotonicMs();
    loop.decide(
        image -> {
          if (!settings.clusterId().isEmpty()) {
            RegistrationRules.checkCluster(request, settings.clusterId());
          }
          return BrokerRegistering.decide(
              image, context, request, now -> nextOffset.getAsLong(), nowMs);
        },
        new OnRegistered(request.brokerId(), false, reply));
  }

  /** Answers once a record that is appended after now has committed. */
  void heartbeat(BrokerHeartbeatRequestData request, Reply<BrokerHeartbeatResponseData> reply) {
    long nowMs = clock.monotonicMs();
    boolean wasFenced;
    try {
      wasFenced =
          HeartbeatDecision.registration(loop.image(), request.brokerId(), request.brokerEpoch())
              .fenced();
    } catch (Refusal e) {
      reply.fail(e.toApiException());
      return;
    }
    context
        .liveness()
        .onHeartbeat(
            request.brokerId(), request.brokerEpoch(), request.currentMetadataOffset(), nowMs);
    loop.decide(
        new HeartbeatDecision(context, request, nowMs)::decide,
        new OnHeartbeat(request, nowMs, wasFenced, reply));
  }

  /** The connection on which the broker sent its heartbeats is broken. */
  void onConnectionLost(int brokerId, long brokerEpoch) {
    BrokerRegistration broker = loop.image().cluster().broker(brokerId);
    if (loop.isActive() && broker != null && broker.epoch() == brokerEpoch && !broker.fenced()) {
      context.liveness().forgetAnswer(brokerId);
      probes.begin(broker);
    }
  }

  private void onProvenDead(int brokerId, long brokerEpoch) {
    loop.decide(
        image -> {
          BrokerRegistration broker = image.cluster().broker(brokerId);
          if (broker == null || broker.epoch() != brokerEpoch || broker.fenced()) {
            return Decision.of(List.of());
          }
          return fence(image, List.of(brokerId));
        },
        new OnStopped());
  }

  /** The answer is those that were fenced. */
  private Decision<List<Integer>> fence(MetadataImage image, List<Integer> brokerIds) {
    MetadataDraft draft = context.draft(image);
    for (int id : brokerIds) {
      BrokerRegistration broker = draft.broker(id);
      if (broker != null && !broker.fenced() && !BrokerTransitions.fence(draft, broker)) {
        return Decision.first(draft.records(), later -> fence(later, brokerIds));
      }
    }
    return draft.decision(brokerIds);
  }

  private void noteStopped(int brokerId) {
    context.liveness().onStopped(brokerId, clock.monotonicMs());
    context.handovers().onStopped(brokerId);
  }

  /** Looks at sessions, leases and partitions that wait; later again if anything can lapse. */
  private void check() {
    check = null;
    checkAtMs = Long.MAX_VALUE;
    long nowMs = clock.monotonicMs();
    List<Integer> silent = context.liveness().silent(loop.image(), nowMs);
    if (!silent.isEmpty()) {
      LOG.warn(
          "Brokers {} were silent for {} ms and are fenced", silent, settings.sessionTimeoutMs());
      // Asked again when it is decided: a heartbeat may have come while the decision waited.
      loop.decide(
          image -> fence(image, context.liveness().silent(image, clock.monotonicMs())),
          new OnStopped());
    }
    for (int id : context.handovers().brokers()) {
      if (context.liveness().hasLeaseEnded(id, nowMs)) {
        context.handovers().onStopped(id);
      } else if (isStuck(id, nowMs)) {
        fenceStuck(id);
      }
    }
    electReady();
    scheduleCheck();
  }

  /** It goes on sending heartbeats, but does not apply what takes its partitions from it. */
  private boolean isStuck(int brokerId, long nowMs) {
    Long since = context.handovers().waitingSinceMs(brokerId);
    BrokerRegistration broker = loop.image().cluster().broker(brokerId);
    return since != null
        && nowMs - since >= settings.sessionTimeoutMs()
        && broker != null
        && !broker.fenced();
  }

  private void fenceStuck(int brokerId) {
    LOG.warn(
        "Broker {} does not follow the metadata and is fenced; its partitions wait for its lease to end",
        brokerId);
    loop.decide(
        image -> {
          BrokerRegistration broker = image.cluster().broker(brokerId);
          if (broker == null || broker.fenced()) {
            return Decision.of(true);
          }
          return fenceUnproven(image, broker);
        },
        new Logged<>());
  }

  private Decision<Boolean> fenceUnproven(MetadataImage image, BrokerRegistration broker) {
    MetadataDraft draft = context.draft(image);
    return BrokerTransitions.fenceUnproven(draft, broker)
        ? draft.decision(true)
        : Decision.first(draft.records(), later -> fenceUnproven(later, broker));
  }

  /** Elects leaders for the partitions whose old ones have stopped. */
  void electReady() {
    if (electing || context.handovers().ready().isEmpty()) {
      return;
    }
    electing = true;
    loop.decide(this::electReady, new AfterElection());
  }

  private Decision<Boolean> electReady(MetadataImage image) {
    MetadataDraft draft = context.draft(image);
    for (PartitionKey key : List.copyOf(context.handovers().ready())) {
      if (draft.isFull()) {
        return Decision.first(draft.records(), this::electReady);
      }
      if (draft.committed(key) == null) {
        context.handovers().onNobodyElected(key);
        continue;
      }
      PartitionChange change = draft.change(key);
      change.electIfNeeded();
      if (!change.hasLeader() && context.handovers().isUncleanWished(key)) {
        change.electUncleanly();
      }
      if (!change.hasLeader()) {
        context.handovers().onNobodyElected(key);
      }
    }
    return draft.decision(true);
  }

  private void scheduleCheck() {
    long nowMs = clock.monotonicMs();
    Long next = context.liveness().nextSilenceMs(loop.image());
    long atMs = next == null ? Long.MAX_VALUE : next;
    for (int id : context.handovers().brokers()) {
      Long since = context.handovers().waitingSinceMs(id);
      long stuckMs = since == null ? Long.MAX_VALUE : since + settings.sessionTimeoutMs();
      atMs = Math.min(atMs, Math.min(stuckMs, context.liveness().leaseEndMs(id)));
    }
    if (!context.handovers().ready().isEmpty()) {
      atMs = Math.min(atMs, nowMs + RETRY_MS);
    }
    if (atMs == Long.MAX_VALUE || atMs >= checkAtMs) {
      return;
    }
    if (check != null) {
      check.cancel();
    }
    checkAtMs = atMs;
    check = timers.schedule(Math.max(MIN_CHECK_MS, atMs - nowMs), this::check);
  }

  /** After each commit: what has changed may have begun a wait. */
  void onCommitted(MetadataDelta delta) {
    if (delta.clusterDelta() != null) {
      delta.clusterDelta().changedBrokers().keySet().forEach(this::noteFenced);
    }
    noteShutdowns();
    acks.onCommitted();
    scheduleCheck();
  }

  private void noteFenced(int brokerId) {
    MetadataImage image = loop.image();
    BrokerRegistration broker = image.cluster().broker(brokerId);
    if (broker != null && broker.fenced()) {
      context.liveness().onFenced(brokerId, image.provenance().lastContainedOffset());
    }
  }

  /** From where on the others must know that a broker that wants to stop leads nothing. */
  private void noteShutdowns() {
    MetadataImage image = loop.image();
    for (BrokerRegistration broker : image.cluster().brokers().values()) {
      if (broker.inControlledShutdown()
          && !broker.fenced()
          && context.index().leaderships(broker.id()) == 0
          && !context.handovers().isWaitedFor(broker.id())) {
        context.liveness().onLeadsNothing(broker.id(), image.provenance().lastContainedOffset());
      }
    }
  }

  /** How long this heartbeat, which needs a record, waits for others to share it. */
  private long patienceMs(BrokerHeartbeatRequestData request, long nowMs) {
    MetadataImage image = loop.image();
    BrokerRegistration broker = image.cluster().broker(request.brokerId());
    boolean isPatient =
        broker != null
            && !broker.fenced()
            && !broker.inControlledShutdown()
            && !request.wantFence()
            && !request.wantShutDown()
            // Else the next one, which cannot come before this answer, may tell what is awaited.
            && request.currentMetadataOffset() >= image.provenance().lastContainedOffset()
            && context.liveness().isAtRest(request.brokerId(), nowMs);
    return isPatient ? Math.max(ACK_TICK_MS, longestPatienceMs()) : ACK_TICK_MS;
  }

  private long longestPatienceMs() {
    long sessionMs = settings.sessionTimeoutMs();
    long marginMs = sessionMs - BrokerControlSettings.leaseMs(sessionMs);
    return Math.min(PATIENT_MS, marginMs / PATIENT_DIVISOR);
  }

  /** An append failed: those that wait need another record. */
  void onAppendFailed() {
    acks.onFailed();
    if (acks.needsRecord()) {
      ackRecords.within(ACK_TICK_MS);
    }
  }

  /** Goes on after a heartbeat was decided. */
  private final class OnHeartbeat implements Reply<Boolean>, HeartbeatAcks.Waiting {
    private final BrokerHeartbeatRequestData request;
    private final long arrivedMs;
    private final boolean wasFenced;
    private final Reply<BrokerHeartbeatResponseData> reply;

    OnHeartbeat(
        BrokerHeartbeatRequestData request,
        long arrivedMs,
        boolean wasFenced,
        Reply<BrokerHeartbeatResponseData> reply) {
      this.request = request;
      this.arrivedMs = arrivedMs;
      this.wasFenced = wasFenced;
      this.reply = reply;
    }

    @Override
    public void succeed(Boolean recorded) {
      if (recorded) {
        answer();
      } else {
        acks.await(this);
        ackRecords.within(patienceMs(request, clock.monotonicMs()));
      }
      BrokerRegistration broker = loop.image().cluster().broker(request.brokerId());
      boolean isCurrent = broker != null && broker.epoch() == request.brokerEpoch();
      if (isCurrent && wasFenced && broker.fenced() && request.wantFence()) {
        // It does not want to lead, so it has stopped to.
        noteStopped(request.brokerId());
      }
      electReady();
      scheduleCheck();
    }

    @Override
    public void answer() {
      BrokerHeartbeatResponseData answer;
      try {
        answer = HeartbeatDecision.answer(loop.image(), request);
      } catch (Refusal e) {
        reply.fail(e.toApiException());
        return;
      }
      if (!answer.isFenced()) {
        context.liveness().onAnswered(request.brokerId(), arrivedMs, clock.monotonicMs());
      }
      SessionField.put(answer, settings.sessionTimeoutMs());
      reply.succeed(answer);
    }

    @Override
    public void giveUp() {
      reply.fail(DecisionLoop.notActive());
    }

    @Override
    public void fail(Throwable cause) {
      reply.fail(cause);
    }
  }

  /** Goes on after a registration: the run before is dead. */
  private final class OnRegistered implements Reply<BrokerRegistering.Registered> {
    private final int brokerId;
    private final boolean isLocal;
    private final Reply<Long> reply;

    OnRegistered(int brokerId, boolean isLocal, Reply<Long> reply) {
      this.brokerId = brokerId;
      this.isLocal = isLocal;
      this.reply = reply;
    }

    @Override
    public void succeed(BrokerRegistering.Registered registered) {
      long epoch = registered.brokerEpoch();
      if (registered.isNew()) {
        context.liveness().onRegistered(brokerId, epoch, isLocal, clock.monotonicMs());
        context.handovers().onStopped(brokerId);
      }
      reply.succeed(epoch);
      electReady();
    }

    @Override
    public void fail(Throwable cause) {
      reply.fail(cause);
    }
  }

  /** Goes on after brokers were fenced that are proven to serve no more. */
  private final class OnStopped implements Reply<List<Integer>> {
    @Override
    public void succeed(List<Integer> brokerIds) {
      brokerIds.forEach(BrokerLifecycle.this::noteStopped);
      electReady();
    }

    @Override
    public void fail(Throwable cause) {
      LOG.warn("Brokers could not be fenced: {}", cause.getMessage());
      scheduleCheck();
    }
  }

  /** Of decisions that nobody asked for. */
  static final class Logged<T> implements Reply<T> {
    @Override
    public void succeed(T result) {}

    @Override
    public void fail(Throwable cause) {
      LOG.warn("The controller could not decide: {}", cause.getMessage());
    }
  }

  /** Goes on after elections. */
  private final class AfterElection implements Reply<Boolean> {
    @Override
    public void succeed(Boolean done) {
      electing = false;
      electReady();
    }

    @Override
    public void fail(Throwable cause) {
      electing = false;
      LOG.warn("Leaders could not be elected: {}", cause.getMessage());
      scheduleCheck();
    }
  }
}
