package dev.tidemark.protocol;

import dev.tidemark.env.OutboundFrame;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.kafka.common.message.AlterReplicaLogDirsRequestData;
import org.apache.kafka.common.message.DescribeLogDirsRequestData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.types.RawTaggedField;
import org.apache.kafka.common.requests.AbstractResponse;
import org.apache.kafka.common.requests.ResponseHeader;
import org.jspecify.annotations.Nullable;

/**
 * What is asked and told of lost tails: a tagged field of our own, in DescribeLogDirs where
 * something is read and in AlterReplicaLogDirs where something is changed. Kafka's brokers and
 * clients skip it. The request beside it names no folders, so that who skips it changes nothing.
 *
 * <p>The question is text: words with spaces between. The answer is a byte, 0 or 1, and what was
 * asked for or why it is refused.
 */
public final class LostTailField {
  /** The tag, in requests and answers. */
  static final int TAG = 10_000;

  private LostTailField() {}

  /** Which of the two requests. */
  public enum Call {
    READ(ApiKeys.DESCRIBE_LOG_DIRS, 4),
    CHANGE(ApiKeys.ALTER_REPLICA_LOG_DIRS, 2);

    private final ApiKeys api;
    private final short version;

    Call(ApiKeys api, int version) {
      this.api = api;
      this.version = (short) version;
    }

    /** The whole frame of a question, its length first. */
    public ByteBuffer frame(String question, String clientId, int correlationId) {
      ApiMessage body =
          this == READ ? new DescribeLogDirsRequestData() : new AlterReplicaLogDirsRequestData();
      ask(body, question);
      OutboundFrame frame = RequestEncoder.encode(api, version, correlationId, clientId, body);
      return ((OutboundFrame.Bytes) frame.parts().get(0)).buffer();
    }

    /** The answer in a frame behind its length; null when it tells nothing of lost tails. */
    public @Nullable Answer answer(ByteBuffer frame) {
      ResponseHeader unused = ResponseHeader.parse(frame, api.responseHeaderVersion(version));
      return answerIn(
          AbstractResponse.parseResponse(api, new ByteBufferAccessor(frame), version).data());
    }
  }

  /**
   * An answer.
   *
   * @param content what was asked for, or why it is refused as UTF-8
   */
  public record Answer(boolean done, ByteBuffer content) {
    public String text() {
      return StandardCharsets.UTF_8.decode(content.duplicate()).toString();
    }
  }

  /** Puts a question into a request. */
  public static void ask(ApiMessage request, String question) {
    put(request, question.getBytes(StandardCharsets.UTF_8));
  }

  /** The answer in a response; null when it tells nothing of lost tails. */
  public static @Nullable Answer answerIn(ApiMessage response) {
    byte[] told = of(response);
    return told == null || told.length == 0
        ? null
        : new Answer(told[0] == 0, ByteBuffer.wrap(told, 1, told.length - 1).slice());
  }

  /** The question in a request, null when there is none. */
  public static @Nullable String questionIn(ApiMessage request) {
    byte[] told = of(request);
    return told == null ? null : new String(told, StandardCharsets.UTF_8);
  }

  /** Puts an answer into a response. */
  public static void answer(ApiMessage response, boolean done, byte[] content) {
    put(
        response,
        ByteBuffer.allocate(1 + content.length).put((byte) (done ? 0 : 1)).put(content).array());
  }

  private static void put(ApiMessage message, byte[] bytes) {
    message.unknownTaggedFields().add(new RawTaggedField(TAG, bytes));
  }

  private static byte @Nullable [] of(ApiMessage message) {
    List<RawTaggedField> fields = message.unknownTaggedFields();
    for (RawTaggedField field : fields) {
      if (field.tag() == TAG) {
        return field.data();
      }
    }
    return null;
  }
}
