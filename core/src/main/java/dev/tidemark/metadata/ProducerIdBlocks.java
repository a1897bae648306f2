package dev.tidemark.metadata;

import java.util.List;
import org.apache.kafka.common.errors.UnknownServerException;
import org.apache.kafka.common.metadata.ProducerIdsRecord;
import org.apache.kafka.image.MetadataImage;
import org.apache.kafka.server.common.ApiMessageAndVersion;
import org.apache.kafka.server.common.ProducerIdsBlock;

/** Hands out blocks of producer ids, each id once in the life of the cluster. */
final class ProducerIdBlocks {
  private ProducerIdBlocks() {}

  static Decision<ProducerIdsBlock> decide(MetadataImage image, int brokerId, long brokerEpoch) {
    HeartbeatDecision.currentRun(image, brokerId, brokerEpoch);
    long first = Math.max(0, image.producerIds().nextProducerId()); // -1 = none handed out yet
    if (first > Long.MAX_VALUE - ProducerIdsBlock.PRODUCER_ID_BLOCK_SIZE) {
      throw new UnknownServerException("All producer ids of this cluster are handed out");
    }
    ProducerIdsBlock block =
        new ProducerIdsBlock(brokerId, first, ProducerIdsBlock.PRODUCER_ID_BLOCK_SIZE);
    ProducerIdsRecord record =
        new ProducerIdsRecord()
            .setBrokerId(brokerId)
            .setBrokerEpoch(brokerEpoch)
            .setNextProducerId(block.nextBlockFirstId());
    return new Decision<>(List.of(new ApiMessageAndVersion(record, (short) 0)), block);
  }
}
