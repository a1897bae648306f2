package dev.tidemark.broker.settings;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.metadata.TopicSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * The tables in docs/configuration.md are those of the code. {@code
 * -Dsurefire.extra=-Dtidemark.rewrite.docs=true} on Maven's command line writes them anew.
 */
class ConfigurationDocTest {
  private static final Path DOC = Path.of("../docs/configuration.md");

  @Test
  void the_documented_keys_are_those_that_take_effect() throws IOException {
    check("<!-- from the code: begin -->\n", "<!-- from the code: end -->", brokerKeys());
  }

  @Test
  void the_documented_topic_keys_are_those_that_take_effect() throws IOException {
    check(
        "<!-- topic keys from the code: begin -->\n",
        "<!-- topic keys from the code: end -->",
        topicKeys());
  }

  private static void check(String begin, String end, String expected) throws IOException {
    String doc = Files.readString(DOC);
    int from = doc.indexOf(begin) + begin.length();
    int to = doc.indexOf(end);
    if (Boolean.getBoolean("tidemark.rewrite.docs")) {
      Files.writeString(DOC, doc.substring(0, from) + expected + doc.substring(to));
    } else {
      assertThat(doc.substring(from, to)).isEqualTo(expected);
    }
  }

  private static String brokerKeys() {
    StringBuilder text = new StringBuilder("| key | default | value |\n|---|---|---|\n");
    for (Setting<?> setting : HonouredSettings.all()) {
      text.append(
          "| `%s` | %s | %s |\n"
              .formatted(setting.name(), defaultOf(setting), setting.expected().substring(8)));
    }
    return text.toString();
  }

  private static String defaultOf(Setting<?> setting) {
    Object value = setting.defaultValue();
    if (value instanceof List<?> list) {
      return list.stream().map(String::valueOf).collect(Collectors.joining(", "));
    }
    return value == null
        ? ""
        : value.equals(Long.MAX_VALUE) || value.equals(Double.MAX_VALUE)
            ? "no bound"
            : value.toString();
  }

  private static String topicKeys() {
    return TopicSettings.keys().stream()
        .filter(key -> !key.startsWith("internal."))
        .map(key -> "`" + key + "`")
        .collect(Collectors.joining(", ", "", ".\n"));
  }
}
