package dev.tidemark.metadata;

import java.util.List;
import java.util.function.Function;
import org.apache.kafka.common.message.BrokerRegistrationRequestData;
import org.apache.kafka.common.metadata.RegisterBrokerRecord;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.image.MetadataImage;
import org.apache.kafka.metadata.BrokerRegistration;

/**
 * Registration of a broker's new run (KIP-631). Its broker epoch is the offset of the record. It is
 * registered fenced; only a broker in the process that decides may lead at once.
 *
 * <p>While the run before may be alive, a new one is refused, unless it runs on the same folder: a
 * folder is locked by one process, so the one before is dead. A run that does not follow an orderly
 * stop of the last one known may have lost what was not synced: it is taken out of the ISR and of
 * the eligible replicas (KIP-966).
 */
final class BrokerRegistering {
  /**
   * The answer.
   *
   * @param isNew false if this run was registered already
   */
  record Registered(long brokerEpoch, boolean isNew) {}

  private final ElectionContext context;
  private final MetadataDraft draft;
  private final BrokerRegistrationRequestData request;
  private final boolean isLocal;

  private BrokerRegistering(
      MetadataImage image,
      ElectionContext context,
      BrokerRegistrationRequestData request,
      boolean isLocal) {
    this.context = context;
    this.draft = context.draft(image);
    this.request = request;
    this.isLocal = isLocal;
  }

  /** {@code nextOffset} tells the offset of the first record. */
  static Decision<Registered> decide(
      MetadataImage image,
      ElectionContext context,
      BrokerRegistrationRequestData request,
      Function<MetadataImage, Long> nextOffset,
      long nowMs) {
    RegistrationRules.checkRequest(image, request);
    BrokerRegistration existing = image.cluster().broker(request.brokerId());
    if (existing != null) {
      if (existing.incarnationId().equals(request.incarnationId())) {
        return Decision.of(new Registered(existing.epoch(), false)); // the answer was lost
      }
      checkDuplicate(context, existing, request, nowMs);
    }
    return decide(image, context, request, false, nextOffset);
  }

  /** The broker in this process, which holds its folders' locks and needs no heartbeats. */
  static Decision<Registered> decideLocal(
      MetadataImage image,
      ElectionContext context,
      BrokerRegistrationRequestData request,
      Function<MetadataImage, Long> nextOffset) {
    RegistrationRules.checkRequest(image, request);
    return decide(image, context, request, true, nextOffset);
  }

  private static void checkDuplicate(
      ElectionContext context,
      BrokerRegistration existing,
      BrokerRegistrationRequestData request,
      long nowMs) {
    boolean mayServe = !context.liveness().hasLeaseEnded(existing.id(), nowMs);
    if (mayServe && existing.directoryIntersection(request.logDirs()).isEmpty()) {
      throw new Refusal(
          Errors.DUPLICATE_BROKER_REGISTRATION,
          "Another broker with id %d is alive, and it has other data folders: give each broker its own node.id."
              .formatted(existing.id()));
    }
  }

  private static Decision<Registered> decide(
      MetadataImage image,
      ElectionContext context,
      BrokerRegistrationRequestData request,
      boolean isLocal,
      Function<MetadataImage, Long> nextOffset) {
    return new BrokerRegistering(image, context, request, isLocal)
        .run(
            nextOffset.apply(image), later -> decide(later, context, request, isLocal, nextOffset));
  }

  private Decision<Registered> run(
      long brokerEpoch, Function<MetadataImage, Decision<Registered>> again) {
    int id = request.brokerId();
    BrokerRegistration existing = draft.image().cluster().broker(id);
    RegisterBrokerRecord record = record(brokerEpoch);
    draft.noteStopped(id);
    draft.setBroker(id, BrokerRegistration.fromRecord(record));
    boolean afterCleanStop = existing != null && existing.epoch() == request.previousBrokerEpoch();
    if (!leavePartitions(afterCleanStop)) {
      return Decision.first(draft.records(), again);
    }
    // Nothing else was added before, so its offset is the first one.
    draft.add(record, draft.version().registerBrokerRecordVersion());
    if (isLocal && !BrokerTransitions.electOn(draft, id)) {
      return Decision.first(draft.records(), later -> electRest(later, brokerEpoch));
    }
    return draft.decision(new Registered(brokerEpoch, true));
  }

  /** False if more partitions are to be changed first. */
  private boolean leavePartitions(boolean afterCleanStop) {
    if (!afterCleanStop) {
      return BrokerTransitions.stopUncleanly(draft, request.brokerId());
    }
    return isLocal || BrokerTransitions.leaveIsrs(draft, request.brokerId());
  }

  private Decision<Registered> electRest(MetadataImage later, long brokerEpoch) {
    MetadataDraft rest = context.draft(later);
    boolean done = BrokerTransitions.electOn(rest, request.brokerId());
    return done
        ? rest.decision(new Registered(brokerEpoch, true))
        : Decision.first(rest.records(), next -> electRest(next, brokerEpoch));
  }

  private RegisterBrokerRecord record(long brokerEpoch) {
    RegisterBrokerRecord record =
        new RegisterBrokerRecord()
            .setBrokerId(request.brokerId())
            .setIncarnationId(request.incarnationId())
            .setBrokerEpoch(brokerEpoch)
            .setRack(request.rack())
            .setFenced(!isLocal)
            .setInControlledShutdown(false)
            .setLogDirs(List.copyOf(request.logDirs()));
    request
        .listeners()
        .forEach(
            listener ->
                record
                    .endPoints()
                    .add(
                        new RegisterBrokerRecord.BrokerEndpoint()
                            .setName(listener.name())
                            .setHost(listener.host())
                            .setPort(listener.port())
                            .setSecurityProtocol(listener.securityProtocol())));
    request
        .features()
        .forEach(
            feature ->
                record
                    .features()
                    .add(
                        new RegisterBrokerRecord.BrokerFeature()
                            .setName(feature.name())
                            .setMinSupportedVersion(feature.minSupportedVersion())
                            .setMaxSupportedVersion(feature.maxSupportedVersion())));
    return record;
  }

  /** What a broker of this version tells when it registers. */
  static BrokerRegistrationRequestData request(BrokerIncarnation broker, long previousBrokerEpoch) {
    BrokerRegistrationRequestData request =
        new BrokerRegistrationRequestData()
            .setBrokerId(broker.brokerId())
            .setIncarnationId(broker.incarnationId())
            .setRack(broker.rack().orElse(null))
            .setLogDirs(broker.directoryIds())
            .setPreviousBrokerEpoch(previousBrokerEpoch);
    for (BrokerIncarnation.Listener listener : broker.listeners()) {
      request
          .listeners()
          .add(
              new BrokerRegistrationRequestData.Listener()
                  .setName(listener.name())
                  .setHost(listener.host())
                  .setPort(listener.port())
                  .setSecurityProtocol(listener.securityProtocol()));
    }
    ClusterFeatures.supported()
        .forEach(
            (name, range) ->
                request
                    .features()
                    .add(
                        new BrokerRegistrationRequestData.Feature()
                            .setName(name)
                            .setMinSupportedVersion(range.min())
                            .setMaxSupportedVersion(range.max())));
    return request;
  }
}
