package dev.tidemark.server;

import dev.tidemark.env.Randomness;
import java.security.SecureRandom;

/**
 * Values nobody can predict, from the operating system. Forks are independent because every draw
 * is; the label does not matter.
 */
public final class SecureRandomness implements Randomness {
  private final SecureRandom random = new SecureRandom();

  @Override
  public long nextLong() {
    return random.nextLong();
  }

  @Override
  public int nextInt(int boundExclusive) {
    return random.nextInt(boundExclusive);
  }

  @Override
  public void nextBytes(byte[] bytes) {
    random.nextBytes(bytes);
  }

  @Override
  public Randomness fork(String label) {
    return new SecureRandomness();
  }
}
