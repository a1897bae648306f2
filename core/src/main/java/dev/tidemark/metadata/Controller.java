package dev.tidemark.metadata;

import dev.tidemark.env.Shard;
import dev.tidemark.quorum.MetadataBatch;
import dev.tidemark.quorum.MetadataLog;
import dev.tidemark.quorum.QuorumState;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.function.Function;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.KafkaStorageException;
import org.apache.kafka.common.errors.ThrottlingQuotaExceededException;
import org.apache.kafka.common.message.AlterConfigsRequestData;
import org.apache.kafka.common.message.AlterConfigsResponseData;
import org.apache.kafka.common.message.AlterPartitionReassignmentsRequestData;
import org.apache.kafka.common.message.AlterPartitionReassignmentsResponseData;
import org.apache.kafka.common.message.CreatePartitionsRequestData;
import org.apache.kafka.common.message.CreatePartitionsResponseData;
import org.apache.kafka.common.message.CreateTopicsRequestData;
import org.apache.kafka.common.message.CreateTopicsResponseData;
import org.apache.kafka.common.message.DeleteTopicsRequestData;
import org.apache.kafka.common.message.DeleteTopicsResponseData;
import org.apache.kafka.common.message.ElectLeadersRequestData;
import org.apache.kafka.common.message.ElectLeadersResponseData;
import org.apache.kafka.common.message.IncrementalAlterConfigsRequestData;
import org.apache.kafka.common.message.IncrementalAlterConfigsResponseData;
import org.apache.kafka.common.message.UpdateFeaturesRequestData;
import org.apache.kafka.common.message.UpdateFeaturesResponseData;
import org.apache.kafka.image.MetadataDelta;
import org.apache.kafka.image.MetadataImage;
import org.apache.kafka.image.MetadataProvenance;
import org.apache.kafka.image.writer.ImageWriterOptions;
import org.apache.kafka.server.common.ApiMessageAndVersion;
import org.apache.kafka.server.common.ProducerIdsBlock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides what cluster metadata becomes. Owned by the control shard; every method runs there. Each
 * reply comes on the control shard after the records are durable and were handed to the data shard,
 * so that what is executed on the data shard from the reply sees them.
 *
 * <p>One batch is in flight at a time: a decision is made from the image of all that is committed,
 * and what is asked meanwhile waits.
 */
public final class Controller {
  private static final Logger LOG = LoggerFactory.getLogger(Controller.class);

  /** Calls that wait for the batch in flight. */
  private static final int MAX_WAITING = 10_000;

  private final MetadataLog log;
  private final MetadataView view;
  private final Shard data;
  private final TopicNames names = new TopicNames();
  private final TopicPlacement placement;
  private final TopicCreation topicCreation;
  private final TopicDeletion topicDeletion;
  private final PartitionAddition partitionAddition;
  private final ConfigAlteration configAlteration;
  private final ArrayDeque<Runnable> waiting = new ArrayDeque<>();
  private MetadataImage image = MetadataImage.EMPTY;
  private @Nullable MetadataDelta replayed = delta(MetadataImage.EMPTY);
  private MetadataProvenance replayedTo = MetadataProvenance.EMPTY;
  private boolean inFlight;

  public Controller(
      MetadataLog log, MetadataView view, Shard control, Shard data, ControllerSettings settings) {
    this.log = log;
    this.view = view;
    this.data = data;
    this.placement = new TopicPlacement(control.randomness().fork("placement"), settings);
    this.topicCreation =
        new TopicCreation(
            control.randomness().fork("topic-ids"),
            names,
            placement,
            new EffectiveConfigs(settings.nodeId(), settings.properties()));
    this.topicDeletion = new TopicDeletion(settings.deleteTopicEnable());
    this.partitionAddition = new PartitionAddition(placement);
    this.configAlteration = new ConfigAlteration(new ConfigRules(settings.properties()));
  }

  /**
   * Replays the metadata log, completes what an interrupted format left out, and hands the image
   * they lead to to the data shard.
   */
  public void start() throws IOException {
    MetadataBootstrap.writeIfMissing(log, this::onCommit);
    MetadataDelta delta = replayed;
    if (delta == null) {
      throw new IllegalStateException("The controller was started before");
    }
    replayed = null;
    publish(delta, replayedTo);
  }

  /**
   * Registers a broker's new run. The partitions it leads begin a new leader epoch, because what
   * the run before had not synced may be gone, unless that run ended in order. The reply is the
   * broker epoch.
   */
  public void registerBroker(BrokerIncarnation broker, Reply<Long> reply) {
    decide(now -> BrokerRegistering.decide(now, broker, log.state().logEndOffset()), reply);
  }

  public void createTopics(CreateTopicsRequestData request, Reply<CreateTopicsResponseData> reply) {
    decide(now -> topicCreation.decide(now, request), reply);
  }

  public void deleteTopics(DeleteTopicsRequestData request, Reply<DeleteTopicsResponseData> reply) {
    decide(now -> topicDeletion.decide(now, request), reply);
  }

  public void createPartitions(
      CreatePartitionsRequestData request, Reply<CreatePartitionsResponseData> reply) {
    decide(now -> partitionAddition.decide(now, request), reply);
  }

  public void incrementalAlterConfigs(
      IncrementalAlterConfigsRequestData request,
      Reply<IncrementalAlterConfigsResponseData> reply) {
    decide(now -> configAlteration.decide(now, request), reply);
  }

  public void alterConfigs(AlterConfigsRequestData request, Reply<AlterConfigsResponseData> reply) {
    decide(now -> configAlteration.decide(now, request), reply);
  }

  /** Notes in which data folder a broker's replica lies from now on; the reply is that folder. */
  public void assignDirectory(
      Uuid topicId, int partition, int brokerId, Uuid directoryId, Reply<Uuid> reply) {
    decide(
        now -> DirectoryAssignment.decide(now, topicId, partition, brokerId, directoryId), reply);
  }

  /** Begins a new leader epoch of a partition that the broker leads; the reply is the epoch. */
  public void renewLeadership(Uuid topicId, int partition, int brokerId, Reply<Integer> reply) {
    decide(now -> LeadershipRenewal.decide(now, topicId, partition, brokerId), reply);
  }

  /**
   * Makes other levels of features final.
   *
   * @param version of the request
   */
  public void updateFeatures(
      UpdateFeaturesRequestData request, short version, Reply<UpdateFeaturesResponseData> reply) {
    decide(now -> FeatureUpdate.decide(now, request, version), reply);
  }

  public void electLeaders(ElectLeadersRequestData request, Reply<ElectLeadersResponseData> reply) {
    decide(now -> LeaderElection.decide(now, request), reply);
  }

  public void alterPartitionReassignments(
      AlterPartitionReassignmentsRequestData request,
      Reply<AlterPartitionReassignmentsResponseData> reply) {
    decide(now -> PartitionReassignment.decide(now, request), reply);
  }

  /** Reserves producer ids that no other broker hands out. */
  public void allocateProducerIds(int brokerId, long brokerEpoch, Reply<ProducerIdsBlock> reply) {
    decide(now -> ProducerIdBlocks.decide(now, brokerId, brokerEpoch), reply);
  }

  /** Facts for DescribeQuorum. */
  public QuorumState quorumState() {
    return log.state();
  }

  private <T> void decide(Function<MetadataImage, Decision<T>> decider, Reply<T> reply) {
    if (!inFlight) {
      decideNow(decider, reply);
    } else if (waiting.size() < MAX_WAITING) {
      waiting.add(() -> decideNow(decider, reply));
    } else {
      reply.fail(
          new ThrottlingQuotaExceededException(
              "The controller has " + MAX_WAITING + " calls waiting; try again"));
    }
  }

  private <T> void decideNow(Function<MetadataImage, Decision<T>> decider, Reply<T> reply) {
    Decision<T> decision;
    try {
      decision = decider.apply(image);
    } catch (RuntimeException e) {
      reply.fail(e);
      return;
    }
    if (decision.records().isEmpty()) {
      reply.succeed(decision.response());
      return;
    }
    inFlight = true;
    log.append(decision.records(), new Commit<>(decision.response(), reply));
  }

  private void runWaiting() {
    while (!inFlight && !waiting.isEmpty()) {
      waiting.remove().run();
    }
  }

  /** Sums the log up; the image is that of its end, as nothing is in flight. */
  private void takeSnapshotIfDue() {
    if (inFlight || !log.isSnapshotDue()) {
      return;
    }
    MetadataImage now = image;
    try {
      log.takeSnapshot(to -> now.write(to, new ImageWriterOptions.Builder(now).build()));
    } catch (IOException | RuntimeException e) {
      LOG.error("The metadata log cannot be summed up and goes on growing: {}", e.getMessage(), e);
    }
  }

  private void onCommit(MetadataBatch batch) {
    MetadataProvenance provenance =
        new MetadataProvenance(batch.lastOffset(), batch.epoch(), batch.appendTimeMs(), true);
    MetadataDelta starting = replayed;
    MetadataDelta delta = starting == null ? delta(image) : starting;
    for (ApiMessageAndVersion record : batch.records()) {
      delta.replay(record.message());
    }
    if (starting == null) {
      batch.records().forEach(record -> MetadataLines.tell(record.message()));
      publish(delta, provenance);
    } else {
      replayedTo = provenance;
    }
  }

  private void publish(MetadataDelta delta, MetadataProvenance provenance) {
    MetadataImage newImage = delta.apply(provenance);
    names.onMetadataUpdate(delta);
    placement.onMetadataUpdate(delta);
    image = newImage;
    data.execute(() -> view.publish(delta, newImage));
  }

  private static MetadataDelta delta(MetadataImage from) {
    return new MetadataDelta.Builder().setImage(from).build();
  }

  /** The end of the batch in flight. */
  private final class Commit<T> implements MetadataLog.Completion {
    private final T response;
    private final Reply<T> reply;

    Commit(T response, Reply<T> reply) {
      this.response = response;
      this.reply = reply;
    }

    @Override
    public void onCommitted(long lastOffset) {
      inFlight = false;
      reply.succeed(response);
      runWaiting();
      takeSnapshotIfDue();
    }

    @Override
    public void onFailed(Throwable cause) {
      inFlight = false;
      LOG.error("Metadata could not be written: {}", cause.getMessage());
      reply.fail(
          new KafkaStorageException(
              "The controller could not write its log, nothing was changed: " + cause.getMessage(),
              cause));
      runWaiting();
    }
  }
}
