package dev.tidemark.broker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.metadata.FakeShard;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.message.ApiVersionsResponseData.ApiVersion;
import org.apache.kafka.common.protocol.ApiKeys;
import org.junit.jupiter.api.Test;

/**
 * The table of APIs in docs/compatibility.md is what the code advertises. {@code
 * -Dsurefire.extra=-Dtidemark.rewrite.docs=true} on Maven's command line writes it anew.
 */
class CompatibilityDocTest {
  private static final Path DOC = Path.of("../docs/compatibility.md");
  private static final String BEGIN = "<!-- from the code: begin -->\n";
  private static final String END = "<!-- from the code: end -->";

  @Test
  void theDocumentedApisAreThoseThatAreAdvertised() throws IOException {
    String doc = Files.readString(DOC);
    int begin = doc.indexOf(BEGIN) + BEGIN.length();
    int end = doc.indexOf(END);
    String table = table();
    if (Boolean.getBoolean("tidemark.rewrite.docs")) {
      Files.writeString(DOC, doc.substring(0, begin) + table + doc.substring(end));
    } else {
      assertThat(doc.substring(begin, end)).isEqualTo(table);
    }
  }

  private static String table() {
    Broker broker =
        new Broker(
            BrokerSettings.parse(Map.of("node.id", "1", "log.dirs", "unused")),
            new FakeShard(),
            new FakeShard(),
            List.of());
    StringBuilder text = new StringBuilder("| API | key | versions |\n|---|---|---|\n");
    List<String> missing = new ArrayList<>();
    for (ApiKeys api : ApiKeys.clientApis()) {
      ApiVersion answered = broker.handlers().advertised().find(api.id);
      if (answered == null) {
        missing.add(api.name);
      } else {
        text.append(
            "| %s | %d | %d to %d |\n"
                .formatted(api.name, api.id, answered.minVersion(), answered.maxVersion()));
      }
    }
    return text.append("\nNot answered, and not advertised: ")
        .append(String.join(", ", missing))
        .append(".\n")
        .toString();
  }
}
