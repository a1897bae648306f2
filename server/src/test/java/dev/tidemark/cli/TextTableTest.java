package dev.tidemark.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import org.junit.jupiter.api.Test;

/** What clients wrote is shown and not obeyed. */
class TextTableTest {
  @Test
  void controlCharactersAreShownAsTextInTheirOwnRow() {
    TextTable table = new TextTable("KEY", "VALUE");
    table.add("two\nlines", "\u001b[2Jcleared\r\u009b0m");
    table.add("a\tb", "\u00fc \\n");
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    PrintStream before = System.out;
    System.setOut(new PrintStream(out, true, UTF_8));
    try {
      table.print();
    } finally {
      System.setOut(before);
    }
    assertThat(out.toString(UTF_8).lines())
        .containsExactly(
            "KEY         VALUE",
            "two\\nlines  \\u001b[2Jcleared\\u000d\\u009b0m",
            "a\\tb        \u00fc \\n");
  }
}
