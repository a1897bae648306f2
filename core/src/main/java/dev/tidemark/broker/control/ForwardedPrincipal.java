package dev.tidemark.broker.control;

import java.nio.ByteBuffer;
import org.apache.kafka.common.errors.InvalidRequestException;
import org.apache.kafka.common.message.DefaultPrincipalData;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.MessageUtil;
import org.apache.kafka.common.security.auth.KafkaPrincipal;

/** A principal in an envelope, in the form of Kafka's default principal builder (KIP-590). */
public final class ForwardedPrincipal {
  private ForwardedPrincipal() {}

  static byte[] write(KafkaPrincipal principal) {
    DefaultPrincipalData data =
        new DefaultPrincipalData()
            .setType(principal.getPrincipalType())
            .setName(principal.getName())
            .setTokenAuthenticated(principal.tokenAuthenticated());
    return MessageUtil.toVersionPrefixedBytes(DefaultPrincipalData.HIGHEST_SUPPORTED_VERSION, data);
  }

  /** Throws {@link InvalidRequestException}. */
  public static KafkaPrincipal read(byte[] bytes) {
    try {
      ByteBuffer buffer = ByteBuffer.wrap(bytes);
      short version = buffer.getShort();
      DefaultPrincipalData data = new DefaultPrincipalData(new ByteBufferAccessor(buffer), version);
      return new KafkaPrincipal(data.type(), data.name(), data.tokenAuthenticated());
    } catch (RuntimeException e) {
      throw new InvalidRequestException("the principal in the envelope cannot be read", e);
    }
  }
}
