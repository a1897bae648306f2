package dev.tidemark.broker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.broker.metrics.RequestMetrics;
import dev.tidemark.env.FileSlice;
import dev.tidemark.metadata.FakeShard;
import dev.tidemark.protocol.FileRecords;
import java.nio.ByteBuffer;
import java.util.List;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.FetchResponseData.FetchableTopicResponse;
import org.apache.kafka.common.message.FetchResponseData.PartitionData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.requests.FetchRequest;
import org.junit.jupiter.api.Test;

/** Records from a file that are in no answer after all. */
class UnsentRecordsTest {
  private static final short VERSION_WITHOUT_SESSIONS = 6;

  private final FakeShard shard = new FakeShard();
  private int released;

  private final class Slice implements FileSlice {
    @Override
    public int length() {
      return 100;
    }

    @Override
    public int read(ByteBuffer target, int offset) {
      return 0;
    }

    @Override
    public void release() {
      released++;
    }
  }

  private void answerWith(FetchResponseData response) {
    HandlerRegistry handlers =
        new HandlerRegistry().add(ApiKeys.FETCH, request -> request.answer(response));
    FakeConnection peer = new FakeConnection();
    ClientConnection connection =
        new ClientConnection(
            peer, handlers, new RequestMetrics(shard.clock()), new ClientMistakes(shard, shard));
    connection.onFrame(
        peer, peer.frame(new FetchRequest(new FetchRequestData(), VERSION_WITHOUT_SESSIONS), 1));
  }

  private FetchResponseData responseWithRecords() {
    PartitionData partition = new PartitionData().setRecords(new FileRecords(new Slice()));
    return new FetchResponseData()
        .setResponses(
            List.of(new FetchableTopicResponse().setTopic("t").setPartitions(List.of(partition))));
  }

  @Test
  void areGivenBackWhenTheAnswerCannotBeWritten() {
    answerWith(responseWithRecords().setSessionId(5)); // which that version cannot tell
    assertThat(released).isEqualTo(1);
  }

  @Test
  void belongToTheFrameOtherwise() {
    answerWith(responseWithRecords());
    assertThat(released).isZero();
  }
}
