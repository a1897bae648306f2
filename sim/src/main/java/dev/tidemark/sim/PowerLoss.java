package dev.tidemark.sim;

/** What one power loss does, drawn from a seed: in some all is lost, in some little, most mix. */
final class PowerLoss {
  private final SeededRandomness random;
  private final int keptPercent;
  private final int pageBytes;

  PowerLoss(long seed) {
    this.random = new SeededRandomness(seed);
    this.keptPercent =
        switch (random.nextInt(4)) {
          case 0 -> 0;
          case 1 -> 95;
          default -> random.nextInt(101);
        };
    this.pageBytes = random.chance(50) ? 512 : 4096;
  }

  boolean keepsPage() {
    return random.chance(keptPercent);
  }

  boolean keepsTruncate() {
    return random.chance(keptPercent);
  }

  /** How many of {@code count} changes of a folder survive: names change in order. */
  int keptNames(int count) {
    int kept = 0;
    while (kept < count && random.chance(Math.max(keptPercent, 50))) {
      kept++;
    }
    return kept;
  }

  int pageBytes() {
    return pageBytes;
  }
}
