package dev.tidemark.cli;

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

  @Mixin BootstrapOptions bootstrap = new BootstrapOptions();

  @Override
  public final Integer call() throws CommandFailure, InterruptedException {
    Properties properties = bootstrap.clientProperties();
    properties.setProperty("default.api.timeout.ms", "" + TIMEOUT_SECONDS * 1000);
    try (Admin admin = Admin.create(properties)) {
      run(admin);
    }
    return ExitCodes.OK;
  }

  abstract void run(Admin admin) throws CommandFailure, InterruptedException;

  static <T> T await(KafkaFuture<T> answer) throws CommandFailure, InterruptedException {
    try {
      return answer.get(TIMEOUT_SECONDS + 1L, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      throw CommandFailure.failed(FailureText.of(e));
    } catch (TimeoutException e) {
      throw CommandFailure.failed(
          "the broker did not answer within " + TIMEOUT_SECONDS + " s; see its log");
    }
  }
}
