package dev.tidemark.protocol;

import java.util.List;
import org.apache.kafka.common.message.AlterPartitionRequestData.PartitionData;
import org.apache.kafka.common.protocol.types.RawTaggedField;

/**
 * A leader asks the controller, in an AlterPartition request, to begin a new leader epoch, because
 * its log was closed meanwhile and may have lost what was not synced. It is told in a tagged field
 * of our own, which Kafka's controllers skip.
 */
public final class RenewedLeadership {
  private static final int TAG = 10_000;

  private RenewedLeadership() {}

  /** The same request, which asks for a new epoch instead of an ISR. */
  public static PartitionData ask(PartitionData request) {
    request.unknownTaggedFields().add(new RawTaggedField(TAG, new byte[0]));
    return request;
  }

  /** Whether the request asks for a new epoch. */
  public static boolean isAskedFor(PartitionData request) {
    List<RawTaggedField> fields = request.unknownTaggedFields();
    return fields.stream().anyMatch(field -> field.tag() == TAG);
  }
}
