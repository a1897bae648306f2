package dev.tidemark.broker.control;

import dev.tidemark.protocol.PeerConnection;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;

/**
 * This broker's way to the active controller, wherever that is. Owned by the data shard, which also
 * hears the answers.
 */
public interface ControllerChannel {
  /**
   * Sends one request, in the newest version of its API, to whoever is the active controller now.
   * Nothing is sent again: whoever asks decides whether to ask again. Exactly one method of {@code
   * answer} is called, later than this call; NOT_CONTROLLER in the response, or a failure when no
   * controller is known, mean that it may be asked again in a while.
   *
   * @param timeoutMs from now on, at least 1
   */
  void send(ApiKeys api, ApiMessage request, long timeoutMs, PeerConnection.Answer answer);
}
