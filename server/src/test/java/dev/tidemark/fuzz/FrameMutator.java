package dev.tidemark.fuzz;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.SplittableRandom;

/** Spoils a frame in one of the ways in which frames go wrong. */
final class FrameMutator {
  private static final int[] EXTREMES = {
    -1, 0, 1, Integer.MAX_VALUE, Integer.MIN_VALUE, 0x7fff, 0xffff, 0x1_0000, 1 << 20, -2
  };

  private final SplittableRandom random;

  FrameMutator(SplittableRandom random) {
    this.random = random;
  }

  byte[] mutate(byte[] original, byte[] other) {
    byte[] frame = original.clone();
    int rounds = 1 + random.nextInt(3);
    for (int i = 0; i < rounds && frame.length > 0; i++) {
      frame = mutateOnce(frame, other);
    }
    return frame;
  }

  private byte[] mutateOnce(byte[] frame, byte[] other) {
    return switch (random.nextInt(9)) {
      case 0, 1 -> flipBits(frame);
      case 2, 3 -> writeExtreme(frame);
      case 4 -> Arrays.copyOf(frame, random.nextInt(frame.length));
      case 5 -> insert(frame);
      case 6 -> changeHeader(frame);
      case 7 -> splice(frame, other);
      default -> randomBytes(frame.length);
    };
  }

  private byte[] flipBits(byte[] frame) {
    for (int i = random.nextInt(8); i >= 0; i--) {
      frame[random.nextInt(frame.length)] ^= (byte) (1 << random.nextInt(8));
    }
    return frame;
  }

  private byte[] writeExtreme(byte[] frame) {
    int value = EXTREMES[random.nextInt(EXTREMES.length)];
    int at = random.nextInt(frame.length);
    if (frame.length - at >= Integer.BYTES && random.nextBoolean()) {
      ByteBuffer.wrap(frame).putInt(at, value);
    } else {
      frame[at] = (byte) value;
    }
    return frame;
  }

  private byte[] insert(byte[] frame) {
    int at = random.nextInt(frame.length);
    byte[] longer = Arrays.copyOf(frame, frame.length + 1 + random.nextInt(32));
    int added = longer.length - frame.length;
    System.arraycopy(frame, at, longer, at + added, frame.length - at);
    return longer;
  }

  /** Another API or version with this body. */
  private byte[] changeHeader(byte[] frame) {
    if (frame.length >= Integer.BYTES) {
      boolean api = random.nextBoolean();
      ByteBuffer.wrap(frame).putShort(api ? 0 : 2, (short) (random.nextInt(api ? 100 : 24) - 2));
    }
    return frame;
  }

  private byte[] splice(byte[] frame, byte[] other) {
    int keep = random.nextInt(frame.length);
    int from = random.nextInt(other.length + 1);
    byte[] spliced = Arrays.copyOf(frame, keep + other.length - from);
    System.arraycopy(other, from, spliced, keep, other.length - from);
    return spliced;
  }

  private byte[] randomBytes(int length) {
    byte[] bytes = new byte[length];
    random.nextBytes(bytes);
    return bytes;
  }
}
