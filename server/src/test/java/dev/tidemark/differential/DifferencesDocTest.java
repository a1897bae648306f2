package dev.tidemark.differential;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/**
 * docs/compatibility.md lists the differences that the differential test takes as intended. {@code
 * -Dsurefire.extra=-Dtidemark.rewrite.docs=true} on Maven's command line writes them anew.
 */
class DifferencesDocTest {
  private static final Path DOC = Path.of("../docs/compatibility.md");
  private static final String BEGIN = "<!-- from the differential test: begin -->\n";
  private static final String END = "<!-- from the differential test: end -->";

  @Test
  void theDocumentedDifferencesAreThoseOfTheDifferentialTest() throws IOException {
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

  private static String table() throws IOException {
    StringBuilder text =
        new StringBuilder("| where | Kafka | Tidemark | why |\n|---|---|---|---|\n");
    for (IntendedDifference one : IntendedDifference.load()) {
      text.append(
          "| %s | %s | %s | %s |\n".formatted(one.where(), one.kafka(), one.tidemark(), one.why()));
    }
    return text.toString();
  }
}
