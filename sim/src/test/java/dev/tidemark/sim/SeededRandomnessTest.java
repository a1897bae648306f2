package dev.tidemark.sim;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class SeededRandomnessTest {
  @Test
  void aSeedMeansTheSameForEver() {
    SeededRandomness random = new SeededRandomness(42);
    assertThat(random.nextLong()).isEqualTo(-4767286540954276203L);
    assertThat(random.nextLong()).isEqualTo(2949826092126892291L);
    byte[] bytes = new byte[11];
    new SeededRandomness(42).nextBytes(bytes);
    assertThat(bytes[0]).isEqualTo((byte) -4767286540954276203L);
  }

  @Test
  void aForkDependsOnSeedAndLabelButNotOnWhatWasDrawn() {
    SeededRandomness first = new SeededRandomness(7);
    SeededRandomness second = new SeededRandomness(7);
    second.nextLong();
    assertThat(first.fork("disk").nextLong()).isEqualTo(second.fork("disk").nextLong());
    assertThat(first.fork("disk").nextLong()).isNotEqualTo(first.fork("net").nextLong());
    assertThat(first.fork("disk").nextLong())
        .isNotEqualTo(new SeededRandomness(8).fork("disk").nextLong());
  }

  @Test
  void valuesFallEvenlyBelowTheBound() {
    SeededRandomness random = new SeededRandomness(1);
    int[] counts = new int[10];
    for (int i = 0; i < 100_000; i++) {
      counts[random.nextInt(10)]++;
    }
    assertThat(IntStream.of(counts)).allMatch(count -> count > 9_500 && count < 10_500);
    assertThat(random.nextInt(1)).isZero();
  }
}
