package dev.tidemark.replica.fetch;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;

class ReplicationQuotaTest {
  private final ReplicationQuota quota = new ReplicationQuota(QuotaWindow.defaults());

  @Test
  void without_a_bound_it_is_never_used_up() {
    quota.record(0, 1L << 50);
    assertThat(quota.isUsedUp(0)).isFalse();
    assertThat(quota.freeInMs(0)).isZero();
  }

  @Test
  void what_one_span_allows_may_go_at_once_and_a_byte_more_uses_it_up() {
    quota.bytesPerSecond(1_000);
    quota.record(0, 1_000);
    assertThat(quota.isUsedUp(0)).isFalse();
    quota.record(0, 1);
    assertThat(quota.isUsedUp(0)).isTrue();
  }

  @Test
  void it_is_free_when_as_much_time_has_passed_as_the_bytes_take() {
    quota.bytesPerSecond(1_000);
    quota.record(0, 3_000);
    assertThat(quota.freeInMs(0)).isEqualTo(3_000);
    assertThat(quota.isUsedUp(2_999)).isTrue();
    assertThat(quota.isUsedUp(3_000)).isFalse();
    quota.record(3_000, 500);
    assertThat(quota.freeInMs(3_000)).isEqualTo(500);
  }

  @Test
  void what_is_older_than_the_window_does_not_count() {
    quota.bytesPerSecond(1_000);
    quota.record(0, 20_000);
    quota.record(5_000, 8_000);
    assertThat(quota.freeInMs(5_000)).isEqualTo(8_000);
    assertThat(quota.isUsedUp(12_999)).isTrue();
    assertThat(quota.isUsedUp(13_000)).isFalse();
  }

  @Test
  void a_bound_of_nothing_lets_something_through_once_in_a_window() {
    quota.bytesPerSecond(0);
    assertThat(quota.isUsedUp(0)).isFalse();
    quota.record(0, 1);
    assertThat(quota.freeInMs(0)).isEqualTo(11_000);
    assertThat(quota.isUsedUp(11_000)).isFalse();
  }

  @Test
  void a_new_bound_holds_at_once_also_for_what_was_counted() {
    quota.bytesPerSecond(1_000);
    quota.record(0, 5_000);
    assertThat(quota.isUsedUp(0)).isTrue();
    quota.bytesPerSecond(5_000);
    assertThat(quota.isUsedUp(0)).isFalse();
    quota.bytesPerSecond(500);
    assertThat(quota.freeInMs(0)).isEqualTo(10_000);
  }

  @Test
  void the_time_it_tells_is_when_it_becomes_free() {
    Random random = new Random(7);
    for (int round = 0; round < 200; round++) {
      ReplicationQuota some =
          new ReplicationQuota(new QuotaWindow(1 + random.nextInt(5), 1 + random.nextInt(20)));
      some.bytesPerSecond(random.nextInt(2_000));
      long nowMs = random.nextInt(100);
      for (int i = 0; i < 8; i++) {
        nowMs += random.nextInt(15);
        some.record(nowMs, random.nextInt(60));
      }
      long freeMs = nowMs + some.freeInMs(nowMs);
      for (long ms = nowMs; ms < freeMs; ms++) {
        assertThat(some.isUsedUp(ms)).as("round %d", round).isTrue();
      }
      assertThat(some.isUsedUp(freeMs)).as("round %d", round).isFalse();
    }
  }
}
