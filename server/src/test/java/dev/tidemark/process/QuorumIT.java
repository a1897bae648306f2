package dev.tidemark.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.quorum.QuorumAddress;
import dev.tidemark.quorum.QuorumBootstrap;
import dev.tidemark.quorum.QuorumVoter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Three voters over real sockets and files; Kafka's tool reads what they write. */
class QuorumIT {
  @TempDir Path data;

  private final BlockingQueue<String> heard = new LinkedBlockingQueue<>();
  private final List<String> all = new ArrayList<>();
  private final Set<String> seen = new HashSet<>();
  private final Map<Integer, QuorumVoterProcess> voters = new TreeMap<>();
  private final List<QuorumAddress> addresses = new ArrayList<>();
  private int active;

  private QuorumVoterProcess create(int id, int port) throws Exception {
    QuorumVoterProcess voter = new QuorumVoterProcess(id, data.resolve("n" + id), port, heard);
    voters.put(id, voter);
    return voter;
  }

  private void startThree() throws Exception {
    List<QuorumVoter> first = new ArrayList<>();
    for (int id = 1; id <= 3; id++) {
      QuorumAddress address = new QuorumAddress("127.0.0.1", create(id, 0).port());
      addresses.add(address);
      first.add(new QuorumVoter(id, QuorumVoterProcess.directoryId(id), address));
    }
    for (QuorumVoterProcess voter : voters.values()) {
      voter.folder().create();
      QuorumBootstrap.write(voter.folder(), first, QuorumVoterProcess.LISTENER, 0);
      voter.start(addresses);
    }
  }

  @AfterEach
  void stop() throws Exception {
    for (QuorumVoterProcess voter : voters.values()) {
      voter.stop();
    }
  }

  /** Waits until each of these was heard, in any order. */
  private void await(List<String> wanted) throws InterruptedException {
    while (!seen.containsAll(wanted)) {
      assertThat(next()).as("waiting for %s, heard %s", wanted, all).isNotNull();
    }
  }

  private String next() throws InterruptedException {
    String said = heard.poll(60, TimeUnit.SECONDS);
    if (said != null) {
      assertThat(said).doesNotContain("failed");
      all.add(said);
      seen.add(said);
      if (said.endsWith(" is active")) {
        active = Integer.parseInt(said.substring(0, 1));
      }
    }
    return said;
  }

  /** Waits until another voter than {@code id} is active. */
  private void awaitActiveOtherThan(int id) throws InterruptedException {
    while (active == 0 || active == id) {
      assertThat(next()).as("an active voter; heard %s", all).isNotNull();
    }
  }

  /** On a slow machine another may lead meanwhile, which is then asked. */
  private void append(int from, int to) throws Exception {
    for (int i = from; i < to; i++) {
      String topic = "t" + i;
      do {
        voters.get(active).append(topic);
      } while (!isCommitted(topic));
    }
  }

  private boolean isCommitted(String topic) throws InterruptedException {
    String said = "";
    while (!said.equals("committed " + topic) && !said.startsWith("not committed " + topic + ":")) {
      said = next();
      assertThat(said).as("the end of %s; heard %s", topic, all).isNotNull();
    }
    return said.startsWith("committed");
  }

  @Test
  void votersOverSocketsTakeOverFromEachOtherAndKafkasToolReadsTheirLog() throws Exception {
    startThree();
    awaitActiveOtherThan(0);
    append(0, 20);
    await(List.of("1 hears t19", "2 hears t19", "3 hears t19"));

    int first = active;
    QuorumVoterProcess stopped = voters.remove(first);
    stopped.stop();
    awaitActiveOtherThan(first);
    append(20, 40);

    create(first, stopped.port()).start(addresses);
    await(List.of("1 hears t39", "2 hears t39", "3 hears t39"));

    Path file = data.resolve("n" + first + "/__cluster_metadata-0/00000000000000000000.log");
    Ran dump =
        KafkaTool.run(
            "", "DumpLogSegments", "--files", file.toString(), "--cluster-metadata-decoder");
    assertThat(dump.out())
        .contains("LeaderChange", "KRaftVoters", "\"name\":\"t0\"", "\"name\":\"t39\"");
  }
}
