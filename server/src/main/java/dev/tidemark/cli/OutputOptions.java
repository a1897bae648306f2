package dev.tidemark.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.Locale;
import picocli.CommandLine.Option;

/** How a command prints what it found: for people, or for programs. */
final class OutputOptions {
  /** The two forms; named as they are written on the command line. */
  enum Format {
    TEXT,
    JSON;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  @Option(
      names = "--format",
      paramLabel = "FORMAT",
      defaultValue = "text",
      description = "${COMPLETION-CANDIDATES}; json is one document. Default: ${DEFAULT-VALUE}.")
  Format format = Format.TEXT;

  /** Prints text when the user wants text, else {@code document}: maps, lists, texts, numbers. */
  void print(Object document, Runnable text) {
    if (format == Format.TEXT) {
      text.run();
      return;
    }
    try {
      System.out.println(
          new ObjectMapper().writerWithDefaultPrettyPrinter().writeValueAsString(document));
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("not a document of maps and lists", e);
    }
  }
}
