package dev.tidemark.metadata;

import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.metadata.RegisterBrokerRecord;
import org.apache.kafka.common.metadata.RegisterBrokerRecord.BrokerEndpoint;
import org.apache.kafka.image.MetadataDelta;
import org.apache.kafka.image.MetadataProvenance;

/** Tells a broker's parts where a broker is of which no controller of ours knows. */
public final class ForeignBroker {
  private ForeignBroker() {}

  /** On the data shard: from now on broker {@code id} is at that port of this machine. */
  public static void publish(MetadataView view, int id, String listener, int port) {
    RegisterBrokerRecord record =
        new RegisterBrokerRecord()
            .setBrokerId(id)
            .setIncarnationId(Uuid.randomUuid())
            .setFenced(false);
    record
        .endPoints()
        .add(
            new BrokerEndpoint()
                .setName(listener)
                .setHost("127.0.0.1")
                .setPort(port)
                .setSecurityProtocol((short) 0));
    MetadataDelta delta = new MetadataDelta.Builder().setImage(view.image()).build();
    delta.replay(record);
    view.publish(delta, delta.apply(new MetadataProvenance(view.image().offset() + 1, 1, 0, true)));
  }
}
