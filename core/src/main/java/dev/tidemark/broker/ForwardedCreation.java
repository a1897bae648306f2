package dev.tidemark.broker;

import dev.tidemark.broker.control.Forwarder;
import dev.tidemark.broker.request.TopicCreator;
import dev.tidemark.env.Timers;
import dev.tidemark.metadata.MetadataListener;
import dev.tidemark.metadata.MetadataView;
import dev.tidemark.metadata.Reply;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.message.CreateTopicsRequestData;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableTopic;
import org.apache.kafka.common.message.CreateTopicsResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.CreateTopicsRequest;
import org.apache.kafka.common.requests.RequestHeader;
import org.apache.kafka.image.MetadataDelta;
import org.apache.kafka.image.MetadataImage;

/**
 * Has topics created by the active controller, and waits a moment for them to come to this node's
 * metadata. Owned by the data shard.
 */
final class ForwardedCreation implements TopicCreator, MetadataListener {
  /** After it the reply comes though the metadata here do not have the topics yet. */
  private static final long WAIT_MS = 2_000;

  private static final short VERSION = 7;

  private final Forwarder forwarder;
  private final TopicCreator local;
  private final MetadataView view;
  private final Timers timers;
  private final String clientId;
  private final List<Awaited> waiting = new ArrayList<>();
  private int correlationId;

  /** {@code local} asks the controller in this process. */
  ForwardedCreation(
      Forwarder forwarder, TopicCreator local, MetadataView view, Timers timers, String clientId) {
    this.forwarder = forwarder;
    this.local = local;
    this.view = view;
    this.timers = timers;
    this.clientId = clientId;
  }

  @Override
  public void create(CreateTopicsRequestData request, Reply<CreateTopicsResponseData> reply) {
    List<String> names = request.topics().stream().map(CreatableTopic::name).toList();
    forwarder.ask(
        new RequestHeader(ApiKeys.CREATE_TOPICS, VERSION, clientId, correlationId++),
        new CreateTopicsRequest.Builder(request).build(VERSION),
        Forwarder.Asker.SELF,
        () -> local.create(request, reply),
        new Reply<>() {
          @Override
          public void succeed(ApiMessage response) {
            await(new Awaited(names, (CreateTopicsResponseData) response, reply));
          }

          @Override
          public void fail(Throwable cause) {
            reply.fail(cause);
          }
        });
  }

  private void await(Awaited awaited) {
    if (awaited.isThere(view.image())) {
      awaited.end();
    } else {
      waiting.add(awaited);
      var unused =
          timers.schedule(
              WAIT_MS,
              () -> {
                if (waiting.remove(awaited)) {
                  awaited.end();
                }
              });
    }
  }

  @Override
  public void onMetadataUpdate(MetadataDelta delta, MetadataImage image) {
    if (waiting.isEmpty()) {
      return;
    }
    List<Awaited> there = waiting.stream().filter(one -> one.isThere(image)).toList();
    waiting.removeAll(there);
    there.forEach(Awaited::end);
  }

  /** A reply that waits for what it tells of. */
  private record Awaited(
      List<String> names,
      CreateTopicsResponseData response,
      Reply<CreateTopicsResponseData> reply) {
    boolean isThere(MetadataImage image) {
      return names.stream()
          .allMatch(name -> image.topics().getTopic(name) != null || isRefused(name));
    }

    private boolean isRefused(String name) {
      var result = response.topics().find(name);
      return result == null
          || (result.errorCode() != Errors.NONE.code()
              && result.errorCode() != Errors.TOPIC_ALREADY_EXISTS.code());
    }

    void end() {
      reply.succeed(response);
    }
  }
}
