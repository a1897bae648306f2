package dev.tidemark.protocol;

import java.nio.ByteBuffer;
import java.util.List;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.types.RawTaggedField;

/**
 * The controller's broker.session.timeout.ms, in its answers to heartbeats: a tagged field of our
 * own. A broker must not lead for longer than the controller that answers waits for it.
 */
public final class SessionField {
  /** The tag. */
  static final int TAG = 10_001;

  private SessionField() {}

  /** Puts it into an answer; in milliseconds, at least 1. */
  public static void put(ApiMessage answer, long sessionMs) {
    byte[] bytes = ByteBuffer.allocate(Long.BYTES).putLong(sessionMs).array();
    answer.unknownTaggedFields().add(new RawTaggedField(TAG, bytes));
  }

  /** The shorter of what an answer tells and {@code ownMs}, which holds where it tells nothing. */
  public static long shorter(ApiMessage answer, long ownMs) {
    List<RawTaggedField> fields = answer.unknownTaggedFields();
    for (RawTaggedField field : fields) {
      if (field.tag() == TAG && field.data().length == Long.BYTES) {
        long told = ByteBuffer.wrap(field.data()).getLong();
        return told < 1 ? ownMs : Math.min(told, ownMs);
      }
    }
    return ownMs;
  }
}
