package dev.tidemark.metadata;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class HeartbeatAcksTest {
  private final HeartbeatAcks acks = new HeartbeatAcks();
  private final List<String> answered = new ArrayList<>();

  private void await(String name) {
    acks.await(
        new HeartbeatAcks.Waiting() {
          @Override
          public void answer() {
            answered.add(name);
          }

          @Override
          public void giveUp() {
            answered.add(name + " given up");
          }
        });
  }

  @Test
  void only_what_is_appended_later_serves() {
    acks.onAppend();
    await("late");
    acks.onCommitted();
    assertThat(answered).isEmpty();

    acks.onAppend();
    acks.onCommitted();
    assertThat(answered).containsExactly("late");
  }

  @Test
  void a_failed_append_leaves_them_to_the_next_in_their_order() {
    await("one");
    acks.onAppend();
    await("two");
    acks.onFailed();
    assertThat(acks.needsRecord()).isTrue();

    acks.onAppend();
    acks.onCommitted();
    assertThat(answered).containsExactly("one", "two");
    assertThat(acks.needsRecord()).isFalse();
  }

  @Test
  void a_controller_that_resigns_answers_nobody() {
    await("one");
    acks.onAppend();
    await("two");

    acks.onResigned();

    assertThat(answered).containsExactly("one given up", "two given up");
    acks.onCommitted();
    assertThat(answered).hasSize(2);
  }
}
