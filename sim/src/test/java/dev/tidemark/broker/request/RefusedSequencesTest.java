package dev.tidemark.broker.request;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.log.Batches;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

class RefusedSequencesTest {
  private final RefusedSequences refused = new RefusedSequences();

  @Test
  void whatIsKeptIsBoundedAndGoesWhenItsBatchCame() {
    for (int id = 0; id < 3 * RefusedSequences.CAPACITY; id++) {
      ByteBuffer batch = Batches.of(id, 0, 0, 1, "v");
      refused.refused("t", 0, batch, batch.position());
    }
    assertThat(refused.size()).isEqualTo(RefusedSequences.CAPACITY);
    ByteBuffer newest = Batches.of(3 * RefusedSequences.CAPACITY - 1, 0, 0, 1, "v");
    refused.appended("t", 0, newest, newest.position());
    assertThat(refused.size()).isEqualTo(RefusedSequences.CAPACITY - 1);
  }

  @Test
  void whatCanBeNoTopicIsNotKept() {
    ByteBuffer batch = Batches.of(1, 0, 0, 1, "v");
    refused.refused("t".repeat(30_000), 0, batch, batch.position());
    assertThat(refused.size()).isZero();
  }

  @Test
  void whatIsNoBatchOfAProducerIsNotKept() {
    refused.refused("t", 0, null, 0);
    refused.refused("t", 0, ByteBuffer.allocate(10), 0);
    refused.refused("t", 0, ByteBuffer.allocate(100), 0);
    ByteBuffer plain = Batches.plain(1, "v");
    refused.refused("t", 0, plain, plain.position());
    assertThat(refused.size()).isZero();
  }
}
