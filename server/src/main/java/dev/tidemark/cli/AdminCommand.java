package dev.tidemark.cli;

import java.time.Duration;
import java.util.Properties;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.KafkaFuture;
import picocli.CommandLine.Mixin;

/** A command that asks the broker through Kafka's admin client. */
abstract class AdminCommand implements Callable<Integer> {
  private static final int TIMEOUT_SECONDS = 30;
  private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(5);

  @Mixin BootstrapOptions bootstrap = new BootstrapOptions();

  @Override
  public final Integer call() throws CommandFailure, InterruptedException {
    refuseMistakes();
    Properties properties = bootstrap.clientProperties();
    properties.setProperty("default.api.timeout.ms", "" + TIMEOUT_SECONDS * 1000);
    Admin admin = Admin.create(properties);
    try {
      if (isDecidedByController()) {
        Controllers.requireActive(admin);
      }
      run(admin);
    } finally {
      admin.close(CLOSE_TIMEOUT);
    }
    return ExitCodes.OK;
  }

  /** Refuses what is wrong in the arguments, before anybody is asked. */
  void refuseMistakes() throws CommandFailure {}

  /** Whether it asks for something that only the active controller can decide, or knows. */
  boolean isDecidedByController() {
    return false;
  }

  abstract void run(Admin admin) throws CommandFailure, InterruptedException;

  static <T> T await(KafkaFuture<T> answer) throws CommandFailure, InterruptedException {
    try {
      return answer.get(TIMEOUT_SECONDS + 1L, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      Throwable cause = e.getCause();
      throw CommandFailure.failed(cause == null ? e : cause);
    } catch (TimeoutException e) {
      throw CommandFailure.failed(
          "the broker did not answer within " + TIMEOUT_SECONDS + " s; see its log");
    }
  }
}
