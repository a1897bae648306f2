package dev.tidemark.process;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * The packed release, unpacked once per test run into a read-only folder whose path has spaces, and
 * used by an ordinary user: what runs there runs anywhere.
 */
public final class Installation {
  private static final int NOBODY = 65534;
  private static final int SIGINT = 2;
  private static final String IGNORED_SIGNALS = "SigIgn:";
  private static final Installation INSTANCE = unpack();

  private final Path work;
  private final Path home;

  private Installation(Path work, Path home) {
    this.work = work;
    this.home = home;
  }

  public static Installation get() {
    return INSTANCE;
  }

  private static Installation unpack() {
    try {
      Path work = Files.createTempDirectory("tidemark it ");
      run("chmod", "755", work.toString());
      Path unpacked = Files.createDirectory(work.resolve("a folder with spaces"));
      run("tar", "-xzf", property("tidemark.test.tar"), "-C", unpacked.toString());
      run("chmod", "-R", "a-w,a+rX", unpacked.toString());
      Runtime.getRuntime().addShutdownHook(new Thread(() -> delete(work)));
      return new Installation(
          work, unpacked.resolve("tidemark-" + property("tidemark.test.version")));
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  private static void delete(Path work) {
    try {
      run("chmod", "-R", "u+w", work.toString());
      run("rm", "-rf", work.toString());
    } catch (IOException e) {
      System.err.println("could not delete " + work + ": " + e.getMessage());
    }
  }

  static String property(String name) {
    return requireNonNull(
        System.getProperty(name), name + " is not set; these tests run with 'mvn verify'");
  }

  Path home() {
    return home;
  }

  /** An empty folder that the ordinary user may write to. */
  public Path newFolder(String name) throws IOException {
    Path folder = Files.createTempDirectory(work, name + "-");
    run("chmod", "777", folder.toString());
    return folder;
  }

  /** A process of bin/tidemark as an ordinary user without a home; not started yet. */
  public ProcessBuilder command(Map<String, String> environment, String... args) {
    List<String> command = new ArrayList<>();
    if (ignoresInterrupts()) {
      command.addAll(List.of("env", "--default-signal=INT"));
    }
    if (isRoot()) {
      // Root may write to read-only folders: it would prove nothing.
      command.addAll(
          List.of("setpriv", "--reuid", "" + NOBODY, "--regid", "" + NOBODY, "--clear-groups"));
    }
    command.add(home.resolve("bin").resolve("tidemark").toString());
    command.addAll(List.of(args));
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.directory(work.toFile());
    builder.environment().put("JAVA_HOME", System.getProperty("java.home", ""));
    builder.environment().put("HOME", "/nonexistent");
    builder.environment().remove("XDG_CACHE_HOME");
    builder.environment().remove("XDG_DATA_HOME");
    builder.environment().remove("JAVA_TOOL_OPTIONS");
    builder.environment().putAll(environment);
    return builder;
  }

  /**
   * Whether SIGINT is ignored here, and so by what is started from here: a shell without job
   * control starts like this what it starts in the background.
   */
  private static boolean ignoresInterrupts() {
    try (Stream<String> lines = Files.lines(Path.of("/proc/self/status"))) {
      return lines
          .filter(line -> line.startsWith(IGNORED_SIGNALS))
          .map(line -> line.substring(IGNORED_SIGNALS.length()).trim())
          .anyMatch(mask -> (Long.parseUnsignedLong(mask, 16) >>> (SIGINT - 1) & 1) == 1);
    } catch (IOException e) { // not Linux
      return false;
    }
  }

  private static boolean isRoot() {
    return "root".equals(System.getProperty("user.name"));
  }

  private static void run(String... command) throws IOException {
    Process process = new ProcessBuilder(command).inheritIO().start();
    try {
      if (!process.waitFor(60, TimeUnit.SECONDS) || process.exitValue() != 0) {
        throw new IOException(String.join(" ", command) + " failed");
      }
    } catch (InterruptedException e) {
      throw new IOException(e);
    }
  }
}
