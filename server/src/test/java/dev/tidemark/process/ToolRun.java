package dev.tidemark.process;

import static java.util.Objects.requireNonNull;

import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.lang.reflect.InvocationTargetException;
import java.nio.charset.StandardCharsets;
import org.apache.kafka.common.utils.internals.Exit;
import org.jspecify.annotations.Nullable;

/**
 * Runs Apache Kafka's command line tools in this JVM, from their main method to their exit. A JVM
 * for each, as {@link KafkaTool} has, would take most of the time of a test that needs many.
 */
final class ToolRun {
  private final ByteArrayOutputStream printed = new ByteArrayOutputStream();
  private final ByteArrayOutputStream errors = new ByteArrayOutputStream();
  private @Nullable Integer exitCode;

  private ToolRun() {}

  /** A tool has called for the end of the process. */
  private static final class Ended extends RuntimeException {
    private static final long serialVersionUID = 1;

    Ended(int code) {
      super("exit " + code, null, false, false);
    }
  }

  /** What is printed meanwhile by anything in this JVM counts as the tool's. */
  static synchronized Ran of(String tool, String... args) throws ReflectiveOperationException {
    PrintStream out = System.out;
    PrintStream err = System.err;
    try {
      return new ToolRun().run(tool, args);
    } finally {
      Exit.resetExitProcedure();
      Exit.resetHaltProcedure();
      System.setOut(out);
      System.setErr(err);
    }
  }

  private Ran run(String tool, String... args) throws ReflectiveOperationException {
    System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
    System.setErr(new PrintStream(errors, true, StandardCharsets.UTF_8));
    Exit.setExitProcedure(this::end);
    Exit.setHaltProcedure(this::end);
    try {
      Class.forName("org.apache.kafka.tools." + tool)
          .getMethod("main", String[].class)
          .invoke(null, (Object) args);
      note(0);
    } catch (InvocationTargetException e) {
      if (exitCode == null) {
        System.err.println(e.getCause());
      }
      note(1); // as a JVM does
    }
    return new Ran(
        requireNonNull(exitCode),
        printed.toString(StandardCharsets.UTF_8),
        errors.toString(StandardCharsets.UTF_8));
  }

  private void end(int code, @Nullable String message) {
    if (message != null && exitCode == null) {
      System.err.println(message);
    }
    note(code);
    throw new Ended(code);
  }

  /** The first end counts: a tool may take it for a failure, and say so, which no user sees. */
  private void note(int code) {
    if (exitCode == null) {
      exitCode = code;
      System.setOut(
          new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8));
      System.setErr(
          new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8));
    }
  }
}
