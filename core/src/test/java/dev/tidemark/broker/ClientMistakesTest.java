package dev.tidemark.broker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.broker.ClientMistakes.Kind;
import dev.tidemark.metadata.FakeShard;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ClientMistakesTest {
  private final FakeShard shard = new FakeShard();
  private final List<Integer> leftOut = new ArrayList<>();
  private final ClientMistakes mistakes =
      new ClientMistakes(shard, shard, (kind, count) -> leftOut.add(count));

  private int told(Kind kind, int times) {
    int told = 0;
    for (int i = 0; i < times; i++) {
      told += mistakes.mayTell(kind) ? 1 : 0;
    }
    return told;
  }

  @Test
  void ofAFloodTheFirstLinesAreToldThenTheNumberOfTheOthers() {
    assertThat(told(Kind.BAD_REQUEST, 1000)).isEqualTo(ClientMistakes.MAX_LINES);
    assertThat(leftOut).isEmpty();
    shard.advance(ClientMistakes.WINDOW_MS);
    assertThat(leftOut).containsExactly(1000 - ClientMistakes.MAX_LINES);
    assertThat(told(Kind.BAD_REQUEST, 1)).isEqualTo(1);
    shard.advance(ClientMistakes.WINDOW_MS);
    assertThat(leftOut).hasSize(1);
  }

  @Test
  void eachKindIsCountedForItself() {
    assertThat(told(Kind.BAD_REQUEST, 1000)).isEqualTo(ClientMistakes.MAX_LINES);
    assertThat(told(Kind.CONNECTION_REFUSED, 1)).isEqualTo(1);
  }
}
