package dev.tidemark.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.broker.ClientMistakes;
import dev.tidemark.differential.ScriptFrames;
import dev.tidemark.server.BrokerProcess;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.Uuid;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Spoiled frames of every API: the broker answers or closes the connection, goes on serving others,
 * what was stored stays as it was, and nothing is held on to. Frames come alone, among good ones,
 * and after the good beginning of a conversation. {@code -Dtidemark.fuzz.frames=N} and {@code
 * -Dtidemark.fuzz.seed=N} choose how many and which.
 */
class FrameFuzzTest {
  private static final int FRAMES = Integer.getInteger("tidemark.fuzz.frames", 100_000);
  private static final long SEED = Long.getLong("tidemark.fuzz.seed", 20_261_129L);
  private static final int FRAMES_PER_CONNECTION = 5;
  private static final int FRAMES_BETWEEN_CHECKS = 10_000;
  private static final int TALKS_ONE_IN = 16;
  private static final long HEAP_SLACK_BYTES = 16 << 20;
  private static final int SLACK = 24;
  private static final int MAX_LOOKS = 100;

  private final SplittableRandom random = new SplittableRandom(SEED);
  private final FrameMutator mutator = new FrameMutator(random.split());
  private final Conversations conversations = new Conversations(random.split());
  @TempDir Path folder;

  @Test
  void spoiledFramesHarmNeitherOthersNorWhatIsStoredAndNothingIsHeldOnTo() throws Exception {
    System.out.printf("FrameFuzzTest: seed %d, %d frames%n", SEED, FRAMES);
    long startNs = System.nanoTime();
    try (RecordingProxy proxy = new RecordingProxy();
        ErrorLog log = new ErrorLog()) {
      BrokerProcess broker = BrokerProcess.start(settings(proxy.port()), true);
      try {
        proxy.start(broker.port());
        String bootstrap = "127.0.0.1:" + proxy.port();
        FrameCorpus.drive(bootstrap);
        Uuid topicId = FrameCorpus.topicId(bootstrap);
        List<byte[]> corpus = new ArrayList<>(proxy.frames());
        corpus.addAll(SampleRequests.ofAllVersions("fuzz-a", topicId));
        corpus.addAll(ScriptFrames.all(topicId.toString()));
        assertThat(FrameCorpus.apisOf(corpus))
            .as("APIs with real content to spoil")
            .containsAll(FrameCorpus.apisAnsweredAt(broker.port()));
        corpus.addAll(FrameCorpus.ofAllVersions());
        try (Canary canary = new Canary(bootstrap)) {
          fuzz(broker.port(), corpus, canary, log);
        }
      } finally {
        broker.stop();
      }
      long seconds = (System.nanoTime() - startNs) / 1_000_000_000;
      assertThat(log.errors()).as("errors logged at the stop, seed %d", SEED).isEmpty();
      assertThat(log.traces()).as("stack traces for clients' mistakes, seed %d", SEED).isEmpty();
      assertThat(log.closings())
          .as("lines about closed connections in %d s, seed %d", seconds, SEED)
          .isPositive()
          .isLessThan((int) (seconds / 10 + 2) * 2 * ClientMistakes.MAX_LINES);
    }
  }

  private Map<String, String> settings(int advertisedPort) {
    return Map.of(
        "node.id", "1",
        "listeners", "PLAINTEXT://127.0.0.1:0",
        "advertised.listeners", "PLAINTEXT://127.0.0.1:" + advertisedPort,
        "log.dirs", folder.resolve("data").toString(),
        "offsets.topic.num.partitions", "3",
        "log.segment.delete.delay.ms", "0",
        "group.initial.rebalance.delay.ms", "0");
  }

  private void fuzz(int port, List<byte[]> corpus, Canary canary, ErrorLog log)
      throws IOException, InterruptedException {
    int warmUp = Math.min(FRAMES, FRAMES_BETWEEN_CHECKS); // classes load, pools and caches fill
    int sent = send(port, corpus, 0, warmUp);
    check(canary, log, sent);
    Resources before = Resources.now();
    while (sent < FRAMES) {
      sent = send(port, corpus, sent, Math.min(FRAMES, sent + FRAMES_BETWEEN_CHECKS));
      check(canary, log, sent);
    }
    awaitReturnTo(before);
  }

  private static void check(Canary canary, ErrorLog log, int sent) {
    assertThat(log.errors())
        .as("errors logged for clients' mistakes, in %d frames of seed %d", sent, SEED)
        .isEmpty();
    canary.sing("after %d frames of seed %d".formatted(sent, SEED));
    canary.tidyUp();
  }

  private int send(int port, List<byte[]> corpus, int sentBefore, int until) throws IOException {
    int sent = sentBefore;
    while (sent < until) {
      try (FuzzPeer peer = new FuzzPeer(port)) {
        List<byte[]> frames = next(peer, corpus);
        sent += frames.size();
        peer.sendToTheEnd(frames);
      } catch (SocketTimeoutException e) {
        throw new AssertionError(
            "the broker neither answered nor closed; at frame %d of seed %d".formatted(sent, SEED),
            e);
      }
    }
    return sent;
  }

  private List<byte[]> next(FuzzPeer peer, List<byte[]> corpus) throws IOException {
    if (random.nextInt(TALKS_ONE_IN) == 0) {
      List<byte[]> talk = conversations.begin(peer);
      int spoiled = random.nextInt(talk.size());
      List<byte[]> frames = new ArrayList<>(talk);
      frames.set(spoiled, mutator.mutate(talk.get(spoiled), any(corpus)));
      return frames;
    }
    List<byte[]> frames = new ArrayList<>();
    for (int i = 0; i < FRAMES_PER_CONNECTION; i++) {
      boolean good = i == 0 && random.nextInt(4) == 0;
      frames.add(good ? any(corpus) : mutator.mutate(any(corpus), any(corpus)));
    }
    return frames;
  }

  private byte[] any(List<byte[]> corpus) {
    return corpus.get(random.nextInt(corpus.size()));
  }

  /** Connections end and files are deleted a little later than their last answer comes. */
  private static void awaitReturnTo(Resources before) throws IOException, InterruptedException {
    Resources now = Resources.now();
    for (int i = 0; i < MAX_LOOKS && !now.isBackAt(before, HEAP_SLACK_BYTES, SLACK); i++) {
      TimeUnit.MILLISECONDS.sleep(100);
      now = Resources.now();
    }
    System.out.printf("FrameFuzzTest: %s, at the end %s%n", before, now);
    assertThat(now.isBackAt(before, HEAP_SLACK_BYTES, SLACK))
        .as("%s has become %s, seed %d", before, now, SEED)
        .isTrue();
  }
}
