package dev.tidemark.sim.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** What {@code tidemark sim} understands. */
class SimCommandTest {
  private final StringWriter told = new StringWriter();

  private int run(String... args) {
    return new CommandLine(new SimCommand()).setErr(new PrintWriter(told, true)).execute(args);
  }

  private void isRefused(String why, String... args) {
    assertThat(run(args)).isEqualTo(2);
    assertThat(told.toString()).contains(why);
  }

  @Test
  void mistakesAreTwoAndSayWhatIsPossible() {
    isRefused("from 3 to 5", "--seed", "1", "--nodes", "9");
    isRefused("at least 1", "--seed", "1", "--seconds", "0");
    isRefused("--minutes 0: at least 1", "--minutes", "0");
    isRefused("1..200", "--seeds", "5..1");
    isRefused("1..200", "--seeds", "1..2..3");
    isRefused("exclude", "--seed", "1", "--seeds", "1..2");
    isRefused("give --seed", "--trace", "file");
    isRefused("cannot be written", "--seed", "1", "--trace", "/no/such/folder/file");
    isRefused("there is no 'flood', but kill", "--seed", "1", "--faults", "kill,flood");
  }

  @Test
  void aRunThatHoldsIsZero() {
    assertThat(run("--seeds", "1..2", "--seconds", "1", "--faults", "none")).isZero();
  }
}
