package dev.tidemark.metadata;

import dev.tidemark.env.Shard;
import dev.tidemark.quorum.MetadataLog;
import java.io.IOException;
import org.apache.kafka.common.message.AlterConfigsRequestData;
import org.apache.kafka.common.message.AlterConfigsResponseData;
import org.apache.kafka.common.message.CreatePartitionsRequestData;
import org.apache.kafka.common.message.CreatePartitionsResponseData;
import org.apache.kafka.common.message.CreateTopicsRequestData;
import org.apache.kafka.common.message.CreateTopicsResponseData;
import org.apache.kafka.common.message.DeleteTopicsRequestData;
import org.apache.kafka.common.message.DeleteTopicsResponseData;
import org.apache.kafka.common.message.IncrementalAlterConfigsRequestData;
import org.apache.kafka.common.message.IncrementalAlterConfigsResponseData;
import org.apache.kafka.server.common.ProducerIdsBlock;

/**
 * Decides what cluster metadata becomes. Owned by the control shard; every method runs there. Each
 * reply comes on the control shard after the records are durable and published to the data shard.
 */
public final class Controller {
  public Controller(
      MetadataLog log, MetadataView view, Shard control, Shard data, ControllerSettings settings) {}

  /** Replays the metadata log and publishes the image it leads to. */
  public void start() throws IOException {}

  /** Registers a broker's new run, not fenced; the reply is its broker epoch. */
  public void registerBroker(BrokerIncarnation broker, Reply<Long> reply) {}

  public void createTopics(
      CreateTopicsRequestData request, Reply<CreateTopicsResponseData> reply) {}

  public void deleteTopics(
      DeleteTopicsRequestData request, Reply<DeleteTopicsResponseData> reply) {}

  public void createPartitions(
      CreatePartitionsRequestData request, Reply<CreatePartitionsResponseData> reply) {}

  public void incrementalAlterConfigs(
      IncrementalAlterConfigsRequestData request,
      Reply<IncrementalAlterConfigsResponseData> reply) {}

  public void alterConfigs(
      AlterConfigsRequestData request, Reply<AlterConfigsResponseData> reply) {}

  /** Reserves producer ids that no other broker hands out. */
  public void allocateProducerIds(int brokerId, long brokerEpoch, Reply<ProducerIdsBlock> reply) {}
}
