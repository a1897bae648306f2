package dev.tidemark.broker.request;

import dev.tidemark.broker.Partitions;
import dev.tidemark.broker.Request;
import dev.tidemark.broker.RequestHandler;
import dev.tidemark.env.Shard;
import org.apache.kafka.common.errors.InvalidRequiredAcksException;
import org.apache.kafka.common.message.ProduceRequestData;

/** Produce: appends each partition's batch and acknowledges as the client asked. */
public final class ProduceHandler implements RequestHandler {
  private final Partitions partitions;
  private final Shard shard;
  private final CurrentLeaders leaders;
  private final RefusedSequences refusedSequences = new RefusedSequences();

  public ProduceHandler(Partitions partitions, Shard shard, CurrentLeaders leaders) {
    this.partitions = partitions;
    this.shard = shard;
    this.leaders = leaders;
  }

  @Override
  public void handle(Request request) {
    ProduceRequestData data = request.data(ProduceRequestData.class);
    short acks = data.acks();
    if (acks < -1 || acks > 1) {
      request.fail(new InvalidRequiredAcksException("acks is " + acks + "; valid are -1, 0 and 1"));
      return;
    }
    ProduceAnswer answer =
        new ProduceAnswer(request, acks, data.timeoutMs(), shard.timers(), leaders);
    new ProduceRun(request, answer, partitions, shard, refusedSequences).proceed();
  }
}
