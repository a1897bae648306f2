package dev.tidemark.sim.cli;

import dev.tidemark.sim.Simulation;
import dev.tidemark.sim.fault.FaultKind;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code tidemark sim}: runs whole clusters in virtual time under clients and faults. */
@Command(
    name = "tidemark sim",
    description =
        "Runs whole clusters in virtual time under clients and faults, each run from a seed, and"
            + " checks what was promised. Exit code 0: all held; 1: a run broke a promise; 2: usage.")
public final class SimCommand implements Callable<Integer> {
  private static final int HELD = 0;
  private static final int VIOLATION = 1;
  private static final int LAST_EVENTS = 40;
  private static final int MAX_NODES = 5;
  private static final int LEAST_NODES = 3;
  private static final long NS_PER_MINUTE = 60_000_000_000L;
  private static final double NS_PER_S = 1e9;
  private static final double MS_PER_S = 1e3;

  @Spec private @Nullable CommandSpec spec;

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Shows this text.")
  @SuppressWarnings("UnusedVariable") // the library looks at it
  private boolean help;

  @Option(names = "--seed", paramLabel = "N", description = "Runs one seed.")
  private @Nullable Long seed;

  @Option(names = "--seeds", paramLabel = "N..M", description = "Runs all seeds from N to M.")
  private @Nullable String seeds;

  @Option(
      names = "--minutes",
      paramLabel = "M",
      description = "Runs fresh seeds for M minutes (default: 1, without --seed and --seeds).")
  private int minutes = 1;

  @Option(
      names = "--nodes",
      paramLabel = "N",
      description = "Nodes, 3 to 5, each a broker and a voter (default: ${DEFAULT-VALUE}).")
  private int nodes = LEAST_NODES;

  @Option(
      names = "--seconds",
      paramLabel = "N",
      description = "Virtual seconds with faults in each run (default: ${DEFAULT-VALUE}).")
  private int seconds = 60;

  @Option(
      names = "--faults",
      paramLabel = "LIST",
      description = "Comma separated: which faults may come (default: all; none: none).")
  private @Nullable String faults;

  @Option(
      names = "--trace",
      paramLabel = "FILE",
      description = "Writes each event of the run to a file; only with --seed.")
  private @Nullable Path trace;

  private final PrintStream out = System.out;

  /** Runs the command and ends the process with its exit code. */
  public static void main(String[] args) {
    java.util.logging.LogManager.getLogManager().reset(); // brokers that are killed all the time
    System.exit(new CommandLine(new SimCommand()).execute(args));
  }

  @Override
  public Integer call() {
    Simulation.Plan plan = new Simulation.Plan(checkedNodes(), checkedSeconds(), kinds());
    Path file = trace;
    if (file != null && seed == null) {
      throw mistake("--trace is for one run: give --seed as well");
    }
    if (seed != null && seeds != null) {
      throw mistake("--seed and --seeds exclude each other");
    }
    if (minutes < 1) {
      throw mistake("--minutes " + minutes + ": at least 1 is possible");
    }
    if (seed != null) {
      return run(seed, plan, file) ? HELD : VIOLATION;
    }
    if (seeds != null) {
      return runRange(plan, seeds);
    }
    return runMinutes(plan);
  }

  private int checkedNodes() {
    if (nodes < LEAST_NODES || nodes > MAX_NODES) {
      throw mistake("--nodes " + nodes + ": from 3 to 5 are possible");
    }
    return nodes;
  }

  private int checkedSeconds() {
    if (seconds < 1) {
      throw mistake("--seconds " + seconds + ": at least 1 is possible");
    }
    return seconds;
  }

  private Set<FaultKind> kinds() {
    Set<FaultKind> kinds = EnumSet.noneOf(FaultKind.class);
    if (faults == null) {
      return EnumSet.allOf(FaultKind.class);
    }
    for (String word : faults.split(",", -1)) {
      if (!word.equals("none")) {
        kinds.add(
            Stream.of(FaultKind.values())
                .filter(kind -> kind.word().equals(word.trim()))
                .findFirst()
                .orElseThrow(
                    () -> mistake("--faults: there is no '" + word + "', but " + words())));
      }
    }
    return kinds;
  }

  private static String words() {
    return Stream.of(FaultKind.values()).map(FaultKind::word).collect(Collectors.joining(", "));
  }

  private CommandLine.ParameterException mistake(String what) {
    CommandSpec known = spec;
    if (known == null) {
      throw new IllegalStateException("not called from a command line");
    }
    return new CommandLine.ParameterException(known.commandLine(), what);
  }

  private int runRange(Simulation.Plan plan, String range) {
    String[] ends = range.split("\\.\\.", -1);
    long first;
    long last;
    try {
      first = Long.parseLong(ends[0]);
      last = Long.parseLong(ends[ends.length - 1]);
    } catch (NumberFormatException e) {
      throw mistake("--seeds " + range + ": write it like 1..200");
    }
    if (ends.length > 2 || last < first) {
      throw mistake("--seeds " + range + ": write it like 1..200");
    }
    int code = HELD;
    for (long one = first; one <= last; one++) {
      if (!run(one, plan, null)) {
        code = VIOLATION;
      }
    }
    return code;
  }

  private int runMinutes(Simulation.Plan plan) {
    long endNs = System.nanoTime() + minutes * NS_PER_MINUTE;
    long first = System.currentTimeMillis();
    int code = HELD;
    for (long one = first; System.nanoTime() < endNs; one++) {
      if (!run(one, plan, null)) {
        code = VIOLATION;
      }
    }
    return code;
  }

  private boolean run(long one, Simulation.Plan plan, @Nullable Path file) {
    long beganNs = System.nanoTime();
    Simulation.Outcome outcome =
        file == null ? new Simulation(one, plan, null).run() : traced(one, plan, file);
    double tookS = (System.nanoTime() - beganNs) / NS_PER_S;
    boolean held = outcome.violations().isEmpty();
    out.printf(
        "seed %d: %s, %.1f virtual s in %.1f s, %,d events, %,d records acknowledged, %,d answers of"
            + " leaders, faults %s, hash %016x%n",
        one,
        held ? "held" : "BROKEN",
        outcome.virtualMs() / MS_PER_S,
        tookS,
        outcome.events(),
        outcome.acknowledged(),
        outcome.answers(),
        outcome.faults(),
        outcome.hash());
    if (!held) {
      report(outcome, plan);
    }
    return held;
  }

  private Simulation.Outcome traced(long one, Simulation.Plan plan, Path file) {
    try (BufferedWriter writer = Files.newBufferedWriter(file)) {
      return new Simulation(one, plan, line -> write(writer, line)).run();
    } catch (IOException e) {
      throw mistake("--trace " + file + " cannot be written: " + e);
    }
  }

  private static void write(BufferedWriter writer, String line) {
    try {
      writer.write(line);
      writer.newLine();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The run is repeated for its last events, as keeping them makes every run slower. */
  private void report(Simulation.Outcome outcome, Simulation.Plan plan) {
    ArrayDeque<String> last = new ArrayDeque<>();
    Simulation.Outcome again =
        new Simulation(
                outcome.seed(),
                plan,
                line -> {
                  last.add(line);
                  if (last.size() > LAST_EVENTS) {
                    last.remove();
                  }
                })
            .run();
    out.println("  its last events:");
    last.forEach(line -> out.println("    " + line));
    out.println("  what must not have been:");
    List<String> violations = outcome.violations();
    violations.forEach(violation -> out.println("    " + violation));
    if (again.hash() != outcome.hash()) {
      out.println("    and the same seed gave another run when it was repeated");
    }
    out.printf(
        "  to repeat it: tidemark sim --seed %d --nodes %d --seconds %d%s%n",
        outcome.seed(), plan.nodes(), plan.seconds(), faults == null ? "" : " --faults " + faults);
  }
}
