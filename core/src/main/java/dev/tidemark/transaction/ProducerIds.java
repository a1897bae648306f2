package dev.tidemark.transaction;

import dev.tidemark.metadata.Reply;
import java.util.ArrayDeque;
import org.apache.kafka.common.errors.CoordinatorLoadInProgressException;
import org.apache.kafka.server.common.ProducerIdsBlock;

/**
 * Hands out producer ids from blocks that the controller reserved. Owned by the data shard. A block
 * is asked for when the last one is used up; who comes meanwhile waits.
 */
public final class ProducerIds {
  /** Callers that wait for a block; more than these are told to try again. */
  private static final int MAX_WAITING = 10_000;

  private final BlockSource source;
  private final ArrayDeque<Reply<Long>> waiting = new ArrayDeque<>();
  private ProducerIdsBlock block = ProducerIdsBlock.EMPTY;
  private boolean asking;

  public ProducerIds(BlockSource source) {
    this.source = source;
  }

  /** Where blocks come from; replies on the data shard. */
  @FunctionalInterface
  public interface BlockSource {
    void next(Reply<ProducerIdsBlock> reply);
  }

  /** Asks for a block ahead of the first producer. */
  public void prefetch() {
    if (block.equals(ProducerIdsBlock.EMPTY)) {
      ask();
    }
  }

  /** Gives the next id, now or later. */
  public void next(Reply<Long> reply) {
    var id = block.claimNextId();
    if (id.isPresent()) {
      reply.succeed(id.get());
    } else if (waiting.size() >= MAX_WAITING) {
      reply.fail(new CoordinatorLoadInProgressException("Too many producers wait for an id"));
    } else {
      waiting.add(reply);
      ask();
    }
  }

  private void ask() {
    if (asking) {
      return;
    }
    asking = true;
    source.next(
        new Reply<>() {
          @Override
          public void succeed(ProducerIdsBlock next) {
            asking = false;
            block = next;
            serveWaiting();
          }

          @Override
          public void fail(Throwable cause) {
            asking = false;
            while (!waiting.isEmpty()) {
              waiting.remove().fail(cause);
            }
          }
        });
  }

  private void serveWaiting() {
    int count = waiting.size(); // who does not get one of this block asks for the next
    for (int i = 0; i < count; i++) {
      next(waiting.remove());
    }
  }
}
