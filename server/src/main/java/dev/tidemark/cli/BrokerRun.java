package dev.tidemark.cli;

import dev.tidemark.broker.folder.FolderRefused;
import dev.tidemark.broker.settings.InvalidSetting;
import dev.tidemark.server.BindFailure;
import dev.tidemark.server.BrokerProcess;
import dev.tidemark.server.FormatOptions;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One or several brokers from their start to the signal that ends them. */
final class BrokerRun {
  private static final Logger LOG = LoggerFactory.getLogger(BrokerRun.class);

  private final List<BrokerProcess> brokers;
  private final @Nullable EphemeralFolder deletedAtEnd;
  private volatile int exitCode = ExitCodes.OK;

  private BrokerRun(List<BrokerProcess> brokers, @Nullable EphemeralFolder deletedAtEnd) {
    this.brokers = brokers;
    this.deletedAtEnd = deletedAtEnd;
  }

  /**
   * Starts a broker and takes over SIGTERM and SIGINT.
   *
   * @param formats whether an empty data folder is formatted
   * @param deletedAtEnd a folder that goes with the broker; null if its data stay
   */
  static BrokerRun start(
      Map<String, String> settings, boolean formats, @Nullable EphemeralFolder deletedAtEnd)
      throws CommandFailure {
    FormatOptions format = formats ? FormatOptions.DEFAULTS : null;
    return start(List.of(new NodeStart(settings, format)), 1, deletedAtEnd);
  }

  /**
   * The same for the nodes of a cluster.
   *
   * @param voters how many of the first nodes vote as controllers
   */
  static BrokerRun start(List<NodeStart> nodes, int voters, @Nullable EphemeralFolder deletedAtEnd)
      throws CommandFailure {
    try {
      BrokerRun run = new BrokerRun(ClusterStart.run(nodes, voters, deletedAtEnd), deletedAtEnd);
      run.takeOverSignals();
      return run;
    } catch (InvalidSetting | FolderRefused | IllegalArgumentException e) {
      throw CommandFailure.failed(FailureText.of(e));
    } catch (IOException e) {
      throw isEnding(deletedAtEnd) ? interrupted(e) : failed(e, nodes.get(0).format() != null);
    } catch (InterruptedException e) {
      throw interrupted(e);
    }
  }

  /** The process was told to end, and the folder goes while the brokers still start. */
  private static boolean isEnding(@Nullable EphemeralFolder deletedAtEnd) {
    return deletedAtEnd != null && deletedAtEnd.isEnding();
  }

  private static CommandFailure interrupted(Exception cause) {
    return CommandFailure.failed(
        "the process was told to end before its brokers were ready", cause);
  }

  private void takeOverSignals() throws CommandFailure {
    try {
      Runtime.getRuntime().addShutdownHook(new Thread(this::stop, "stop"));
    } catch (IllegalStateException e) {
      throw interrupted(e);
    }
    if (deletedAtEnd != null) {
      deletedAtEnd.leaveToBrokers();
    }
  }

  /** What the machine refused, and what helps. */
  static CommandFailure failed(IOException failure, boolean isDev) {
    return CommandFailure.failed(FailureText.of(failure) + remedy(failure, isDev));
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
    return brokers.get(0).description();
  }

  /** The port of each broker's first listener. */
  List<Integer> ports() {
    return brokers.stream().map(BrokerProcess::port).toList();
  }

  /** Waits until the process is told to stop and the brokers have stopped. */
  int awaitEnd() throws CommandFailure {
    try {
      awaitFatalFailure();
      exitCode = ExitCodes.FAILURE;
      return exitCode;
    } catch (InterruptedException e) {
      return exitCode;
    }
  }

  /** Of the first that has one. */
  private void awaitFatalFailure() throws InterruptedException {
    CountDownLatch failed = new CountDownLatch(1);
    for (BrokerProcess broker : brokers) {
      Thread watch =
          new Thread(
              () -> {
                try {
                  broker.awaitFatalFailure();
                  failed.countDown();
                } catch (InterruptedException e) {
                  Thread.currentThread().interrupt();
                }
              },
              "watch");
      watch.setDaemon(true);
      watch.start();
    }
    failed.await();
  }

  /** The end of the process: a clean stop counts as success whatever signal asked for it. */
  private void stop() {
    try {
      ClusterStart.stop(brokers);
      LOG.info("Tidemark stopped.");
    } catch (IOException | InterruptedException | RuntimeException e) {
      LOG.error("The broker did not stop cleanly.", e);
      exitCode = ExitCodes.FAILURE;
    } finally {
      if (deletedAtEnd != null) {
        deletedAtEnd.delete();
      }
    }
    System.out.flush();
    System.err.flush();
    Runtime.getRuntime().halt(exitCode);
  }
}
