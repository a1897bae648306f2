package dev.tidemark.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class BackgroundPoolTest {
  private static final long SHORT_MS = 50;
  private static final long LONG_S = 30;

  private final BackgroundPool pool = new BackgroundPool(2, SHORT_MS);
  private final CountDownLatch diskAnswers = new CountDownLatch(1);

  /** What a thread does that waits for a disk. */
  private void hang() {
    try {
      boolean unused = diskAnswers.await(LONG_S, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void aStopRunsWhatIsQueuedAndDoesNotWaitForeverForWhatHangs() throws InterruptedException {
    CountDownLatch done = new CountDownLatch(3);
    pool.submit("bad disk", this::hang);
    for (int i = 0; i < 3; i++) {
      pool.submit("good disk", done::countDown);
    }
    pool.stop();
    assertThat(done.await(LONG_S, TimeUnit.SECONDS)).isTrue();
    assertThat(diskAnswers.getCount()).as("the other one hangs still").isEqualTo(1);
    diskAnswers.countDown();
  }

  @Test
  void aStopWaitsForWhatEnds() throws InterruptedException {
    CountDownLatch begun = new CountDownLatch(1);
    boolean[] ended = {false};
    BackgroundPool patient = new BackgroundPool(1, LONG_S * 1000);
    patient.submit(
        "disk",
        () -> {
          begun.countDown();
          hang();
          ended[0] = true;
        });
    assertThat(begun.await(LONG_S, TimeUnit.SECONDS)).isTrue();
    diskAnswers.countDown();
    patient.stop();
    assertThat(ended[0]).isTrue();
  }
}
