package dev.tidemark.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tidemark.server.BrokerProcess;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Commands that list what nodes know say which of them are not there, and what that costs. */
class AbsentNodesTest {
  @TempDir Path folder;
  private final List<BrokerProcess> running = new ArrayList<>();

  @BeforeEach
  void start() throws Exception {
    for (NodeStart node : DevCluster.nodes(3, DevVoters.one(), 0, folder)) {
      running.add(node.start());
    }
  }

  @AfterEach
  void stopAll() throws Exception {
    while (!running.isEmpty()) {
      stop(running.size() - 1);
    }
  }

  private void stop(int index) throws Exception {
    running.remove(index).stop();
  }

  private CommandUnderTest run(BrokerProcess asked, String... args) {
    List<String> all = new ArrayList<>(List.of(args));
    all.addAll(List.of("--bootstrap-server", "127.0.0.1:" + asked.port()));
    return CommandUnderTest.run(InputStream.nullInputStream(), all.toArray(new String[0]));
  }

  private static List<String> states(CommandUnderTest listed) throws IOException {
    List<String> states = new ArrayList<>();
    for (JsonNode one : new ObjectMapper().readTree(listed.out())) {
      states.add(one.get("state").asText());
    }
    return states;
  }

  @Test
  void lostTailsOfABrokerThatIsAwayAreNotSaidToBeNone() throws Exception {
    BrokerProcess asked = running.get(1);
    assertThat(run(asked, "lost-tail", "list").requireSuccess().err())
        .isEqualTo("No lost tails are known.\n");

    stop(2);
    assertThat(run(asked, "lost-tail", "list").requireSuccess().err())
        .isEqualTo(
            "Broker 3 is fenced and was not asked.\nNo lost tails on the brokers that answered.\n");
    assertThat(run(asked, "broker", "list", "--format", "json").requireSuccess())
        .satisfies(
            listed -> assertThat(states(listed)).containsExactly("serves", "serves", "fenced"))
        .satisfies(listed -> assertThat(listed.err()).isEmpty());
  }

  @Test
  void withoutAControllerNobodyIsSaidToServe() throws Exception {
    BrokerProcess asked = running.get(1);
    stop(0);
    CommandUnderTest listed = run(asked, "broker", "list", "--format", "json").requireSuccess();
    assertThat(listed.err())
        .startsWith("No controller is active now.")
        .contains("last metadata", "Start the controllers");
    assertThat(states(listed)).contains("unknown").doesNotContain("serves");

    stop(1);
    CommandUnderTest tails = run(asked, "lost-tail", "list");
    assertThat(tails.exitCode()).isEqualTo(1);
    assertThat(tails.err().lines())
        .as(tails.err())
        .anySatisfy(line -> assertThat(line).startsWith("This is not all: broker 3 at "))
        .containsSubsequence(
            "No lost tails on the brokers that answered.",
            "tidemark: the list of lost tails is not complete, as said above it: ask again when that is mended");
    CommandUnderTest json = run(asked, "lost-tail", "list", "--format", "json");
    assertThat(json.exitCode()).isEqualTo(1);
    assertThat(json.out().strip()).isEqualTo("[ ]");
    assertThat(json.err()).contains("This is not all: broker 3 at ");
  }
}
