package dev.tidemark.broker;

import dev.tidemark.metadata.BrokerControlSettings;
import dev.tidemark.metadata.BrokerProbe;
import dev.tidemark.metadata.Controller;
import dev.tidemark.metadata.ControllerSettings;
import dev.tidemark.metadata.MetadataFeed;
import dev.tidemark.metadata.MetadataView;
import dev.tidemark.metadata.Reply;
import dev.tidemark.protocol.PeerConnection;
import dev.tidemark.quorum.SingleVoterLog;
import dev.tidemark.sim.SimNode;
import dev.tidemark.sim.SimShard;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.AlterPartitionRequestData;
import org.apache.kafka.common.message.AlterPartitionResponseData;
import org.apache.kafka.common.message.AssignReplicasToDirsRequestData;
import org.apache.kafka.common.message.AssignReplicasToDirsResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.protocol.MessageUtil;
import org.apache.kafka.common.requests.AbstractRequest;
import org.apache.kafka.common.requests.AbstractResponse;
import org.apache.kafka.image.MetadataDelta;
import org.apache.kafka.image.MetadataImage;

/** The one controller of a simulated cluster; brokers reach it after a moment, and it them. */
final class PlaneController {
  private static final long WAY_MS = 1;

  private final SimShard control;
  private final SimShard data;
  private final MetadataView view = new MetadataView();
  private final Controller controller;
  private final List<BiConsumer<MetadataDelta, MetadataImage>> followers = new ArrayList<>();

  PlaneController(SimNode machine) {
    this.control = machine.newShard("control");
    this.data = machine.newShard("data");
    SingleVoterLog log =
        new SingleVoterLog(
            machine.disk().root().directory("data"), 100, new Uuid(100, 100), control.clock());
    this.controller =
        new Controller(
            log,
            view,
            control,
            data,
            new ControllerSettings(100, 1, OptionalInt.empty(), true, Map.of()),
            new BrokerControlSettings("", 9_000, false, false, 300_000),
            BrokerProbe.none());
    MetadataFeed.forward(
        view, (delta, image) -> followers.forEach(one -> one.accept(delta, image)));
    control.execute(
        () -> {
          try {
            controller.start();
          } catch (IOException e) {
            throw new AssertionError(e);
          }
        });
  }

  MetadataImage image() {
    return view.image();
  }

  void onPublished(BiConsumer<MetadataDelta, MetadataImage> follower) {
    followers.add(follower);
  }

  /** Runs {@code call} on the controller; {@code reply} is told on {@code shard}. */
  <T> void call(SimShard shard, BiConsumer<Controller, Reply<T>> call, Reply<T> reply) {
    later(
        control,
        () ->
            call.accept(
                controller,
                new Reply<>() {
                  @Override
                  public void succeed(T result) {
                    // After what the metadata listeners of the same moment were told.
                    data.execute(() -> later(shard, () -> reply.succeed(result)));
                  }

                  @Override
                  public void fail(Throwable cause) {
                    later(shard, () -> reply.fail(cause));
                  }
                }));
  }

  private static void later(SimShard shard, Runnable event) {
    shard.timers().schedule(WAY_MS, event);
  }

  /** What brokers ask of it, as bytes. */
  void send(SimShard from, ApiKeys api, ApiMessage request, PeerConnection.Answer answer) {
    short version = api.latestVersion();
    ApiMessage received =
        AbstractRequest.parseRequest(
                api, version, MessageUtil.toByteBufferAccessor(request, version))
            .request
            .data();
    if (received instanceof AlterPartitionRequestData alter) {
      call(
          from,
          (decider, reply) -> decider.alterPartition(alter, reply),
          new Told<AlterPartitionResponseData>(
              api, answer, error -> new AlterPartitionResponseData().setErrorCode(error.code())));
    } else if (received instanceof AssignReplicasToDirsRequestData assign) {
      call(
          from,
          (decider, reply) -> decider.assignReplicasToDirs(assign, reply),
          new Told<AssignReplicasToDirsResponseData>(
              api,
              answer,
              error -> new AssignReplicasToDirsResponseData().setErrorCode(error.code())));
    } else {
      throw new AssertionError("nobody answers " + api);
    }
  }

  private record Told<T extends ApiMessage>(
      ApiKeys api, PeerConnection.Answer answer, Function<Errors, T> failed) implements Reply<T> {
    @Override
    public void succeed(T result) {
      short version = api.latestVersion();
      answer.onResponse(
          AbstractResponse.parseResponse(
                  api, MessageUtil.toByteBufferAccessor(result, version), version)
              .data());
    }

    @Override
    public void fail(Throwable cause) {
      succeed(failed.apply(Errors.forException(cause)));
    }
  }
}
