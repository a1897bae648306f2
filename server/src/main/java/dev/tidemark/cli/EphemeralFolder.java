package dev.tidemark.cli;

import dev.tidemark.server.FileDirectory;
import dev.tidemark.server.ServerLogging;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A temporary folder that goes with the process, also when a signal ends that before its brokers
 * are ready. Brokers that are ready stop before it goes.
 */
final class EphemeralFolder {
  /** How long brokers that are starting may bring files back. */
  private static final long MAX_NS = 2_000_000_000L;

  private static final long PAUSE_NS = 10_000_000;

  private @Nullable Path path;
  private boolean ending;
  private boolean goesWithBrokers;

  private EphemeralFolder() {}

  static EphemeralFolder create() throws IOException {
    EphemeralFolder folder = new EphemeralFolder();
    // Before there is one: a signal may come at any time.
    Runtime.getRuntime().addShutdownHook(new Thread(folder::endEarly, "delete"));
    folder.make();
    return folder;
  }

  private synchronized void make() throws IOException {
    if (!ending) {
      path = Files.createTempDirectory("tidemark-dev-");
    }
  }

  synchronized Path path() throws CommandFailure {
    Path made = path;
    if (made == null || ending) {
      throw CommandFailure.failed("the process was told to end before its brokers were ready");
    }
    return made;
  }

  /** From now on those who stop the brokers delete it. */
  synchronized void leaveToBrokers() {
    goesWithBrokers = true;
  }

  /** The process ends; true if nobody else deletes the folder. */
  private synchronized boolean isLeftAlone() {
    ending = true;
    return !goesWithBrokers;
  }

  /** True once the process ends before the brokers were ready. */
  synchronized boolean isEnding() {
    return ending;
  }

  private void endEarly() {
    if (isLeftAlone()) {
      ServerLogging.quiet(); // the brokers that start miss their files, and nobody needs to know
      delete();
    }
  }

  /** Deletes it with all it holds. */
  void delete() {
    Path victim;
    synchronized (this) {
      victim = path;
    }
    if (victim == null) {
      return;
    }
    long beganNs = System.nanoTime();
    while (Files.exists(victim)) {
      try {
        FileDirectory.deleteAll(victim);
      } catch (IOException e) {
        if (System.nanoTime() - beganNs > MAX_NS) {
          System.err.println("tidemark: " + FailureText.of(e) + "; delete it yourself");
          return;
        }
        LockSupport.parkNanos(PAUSE_NS); // a broker that starts has just made another file
      }
    }
  }
}
