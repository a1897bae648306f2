package dev.tidemark.cli;

import dev.tidemark.broker.folder.FolderRefused;
import dev.tidemark.broker.settings.InvalidSetting;
import dev.tidemark.server.BindFailure;
import dev.tidemark.server.BrokerProcess;
import dev.tidemark.server.FileDirectory;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A broker from its start to the signal that ends it. */
final class BrokerRun {
  private static final Logger LOG = LoggerFactory.getLogger(BrokerRun.class);

  private final BrokerProcess broker;
  private final @Nullable Path deletedAtEnd;
  private volatile int exitCode = ExitCodes.OK;

  private BrokerRun(BrokerProcess broker, @Nullable Path deletedAtEnd) {
    this.broker = broker;
    this.deletedAtEnd = deletedAtEnd;
  }

  /**
   * Starts a broker and takes over SIGTERM and SIGINT.
   *
   * @param formats whether an empty data folder is formatted
   * @param deletedAtEnd a folder that goes with the broker
   */
  static BrokerRun start(Map<String, String> settings, boolean formats, @Nullable Path deletedAtEnd)
      throws CommandFailure {
    try {
      BrokerRun run = new BrokerRun(BrokerProcess.start(settings, formats), deletedAtEnd);
      Runtime.getRuntime().addShutdownHook(new Thread(run::stop, "stop"));
      return run;
    } catch (InvalidSetting | FolderRefused | IllegalArgumentException e) {
      throw CommandFailure.failed(FailureText.of(e));
    } catch (IOException e) {
      throw CommandFailure.failed(FailureText.of(e) + remedy(e, formats));
    } catch (InterruptedException e) {
      throw CommandFailure.failed("the start was interrupted");
    }
  }

  /** The usual reasons that the file system gives, and what helps. */
  private static String remedy(IOException failure, boolean isDev) {
    if (failure instanceof BindFailure) {
      return isDev ? " (--port)" : ""; // it says itself what helps
    }
    String message = FailureText.of(failure);
    String options = isDev ? " with --data-dir, or --ephemeral for a temporary one" : "";
    if (message.endsWith("choose another folder")) {
      return options;
    }
    if (message.contains("No space left")) {
      return "; free some space on that volume";
    }
    if (message.contains("no permission")
        || message.contains("Permission denied")
        || message.contains("Read-only file system")) {
      return "; give this user the right to write there, or choose another folder" + options;
    }
    return "";
  }

  /** Which node this is, where it listens and where its data are. */
  String description() {
    return broker.description();
  }

  int port() {
    return broker.port();
  }

  /** Waits until the process is told to stop and the broker has stopped. */
  int awaitEnd() throws CommandFailure {
    try {
      broker.awaitFatalFailure();
      exitCode = ExitCodes.FAILURE;
      return exitCode;
    } catch (InterruptedException e) {
      return exitCode;
    }
  }

  /** The end of the process: a clean stop counts as success whatever signal asked for it. */
  private void stop() {
    try {
      broker.stop();
      if (deletedAtEnd != null) {
        FileDirectory.deleteAll(deletedAtEnd);
      }
      LOG.info("Tidemark stopped.");
    } catch (IOException | InterruptedException | RuntimeException e) {
      LOG.error("The broker did not stop cleanly.", e);
      exitCode = ExitCodes.FAILURE;
    }
    System.out.flush();
    System.err.flush();
    Runtime.getRuntime().halt(exitCode);
  }
}
