package dev.tidemark.fault;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A thread that writes numbered records to one partition with kcat, idempotent and with acks=all,
 * and keeps what was acknowledged. Where a kcat gives up another one goes on under another name.
 */
final class KcatWriter {
  private static final char FIRST_NAME = 'k';
  private static final char LAST_NAME = 'z';
  private static final long PAUSE_MS = 5;
  private static final Pattern DELIVERED =
      Pattern.compile("% Message delivered to partition (\\d+) \\(offset (\\d+)\\)");

  private final String bootstrap;
  private final List<String> arguments;
  private final Thread thread;
  private final List<Writer.Acknowledged> acknowledged = new ArrayList<>();
  private final List<String> failures = new ArrayList<>();
  private char name = FIRST_NAME;
  private volatile boolean stopped;
  private volatile @Nullable Kcat current;

  KcatWriter(String bootstrap, String topic, int partition) {
    this.bootstrap = bootstrap;
    this.arguments =
        List.of(
            "-P",
            "-t",
            topic,
            "-p",
            String.valueOf(partition),
            "-K",
            ":",
            "-vvv",
            "-X",
            "acks=all",
            "-X",
            "enable.idempotence=true",
            "-X",
            "linger.ms=5",
            "-X",
            "message.timeout.ms=120000");
    this.thread = new Thread(this::run, "kcat-writer");
    thread.start();
  }

  private void run() {
    try {
      while (!stopped && name <= LAST_NAME) {
        try (Kcat kcat = new Kcat(bootstrap, arguments)) {
          current = kcat;
          write(kcat);
          kcat.finish();
          if (!kcat.isExcused()) {
            failures.add("kcat gave up writing: " + last(kcat.errors()));
          }
          take(kcat.errorLines());
        }
        name++;
      }
    } catch (IOException | InterruptedException | RuntimeException | AssertionError e) {
      failures.add("the writer with kcat failed: " + e);
    }
  }

  private static String last(String text) {
    return text.substring(Math.max(0, text.length() - 2000));
  }

  private void write(Kcat kcat) throws InterruptedException {
    try {
      for (long number = 0; !stopped && kcat.isRunning(); number++) {
        kcat.tell("%c-%d:%d".formatted(name, number, number));
        Thread.sleep(PAUSE_MS); // load, not as much as goes
      }
    } catch (IOException e) {
      // It gave up; its messages say why.
    }
  }

  /** The answers of an idempotent producer come in the order in which it sent. */
  private void take(List<String> lines) {
    long number = 0;
    for (String line : lines) {
      Matcher delivered = DELIVERED.matcher(line);
      if (delivered.find()) {
        acknowledged.add(
            new Writer.Acknowledged(
                Integer.parseInt(delivered.group(1)),
                Long.parseLong(delivered.group(2)),
                name + "-" + number++));
      } else if (line.contains("Delivery failed")) {
        return; // which one it was kcat does not say, so of later ones nothing is known
      }
    }
  }

  /** Ends writing once all that was sent has an end. */
  void stop() throws InterruptedException {
    stopped = true;
    thread.join();
  }

  /** Ends writing without waiting for answers. */
  void abandon() throws InterruptedException {
    stopped = true;
    Kcat running = current;
    if (running != null) {
      running.kill();
    }
    thread.join();
  }

  int runs() {
    return name - FIRST_NAME;
  }

  List<Writer.Acknowledged> acknowledged() {
    return acknowledged;
  }

  List<String> failures() {
    return failures;
  }
}
