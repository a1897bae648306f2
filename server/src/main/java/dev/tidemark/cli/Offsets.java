package dev.tidemark.cli;

import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;

/** Where partitions begin and end. */
final class Offsets {
  /** A client looks for the leader until then. */
  private static final int TIMEOUT_MS = 5_000;

  private Offsets() {}

  /** The offset at a place; fails soon, and with {@link #isWithoutLeader}, when nobody leads it. */
  static long of(Admin admin, TopicPartition partition, OffsetSpec place)
      throws CommandFailure, InterruptedException {
    ListOffsetsOptions options = new ListOffsetsOptions().timeoutMs(TIMEOUT_MS);
    try {
      return AdminCommand.await(
              admin.listOffsets(Map.of(partition, place), options).partitionResult(partition))
          .offset();
    } catch (CommandFailure e) {
      throw isWithoutLeader(e)
          ? CommandFailure.failed(
              "the leader of %s does not answer; 'tidemark topic describe %s' shows who it is"
                  .formatted(partition, partition.topic()),
              e.getCause())
          : e;
    }
  }

  static boolean isWithoutLeader(CommandFailure e) {
    return e.getCause() instanceof TimeoutException;
  }
}
