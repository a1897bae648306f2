package dev.tidemark.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.util.Arrays;
import java.util.Properties;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code tidemark produce}. */
@Command(
    name = "produce",
    description = "Writes each line of standard input to a topic as one record.")
final class ProduceCommand implements Callable<Integer> {
  @Mixin BootstrapOptions bootstrap = new BootstrapOptions();

  @Parameters(paramLabel = "TOPIC", description = "The topic; created if the broker allows it.")
  String topic = "";

  @Option(
      names = "--key-separator",
      paramLabel = "TEXT",
      description = "What stands between key and value in a line; without it there are no keys.")
  @Nullable String keySeparator;

  @Option(
      names = "--acks",
      paramLabel = "all|1|0",
      defaultValue = "all",
      description = "Whose acknowledgement a write waits for. Default: ${DEFAULT-VALUE}.")
  String acks = "";

  @Option(
      names = "--compression",
      paramLabel = "none|gzip|snappy|lz4|zstd",
      defaultValue = "none",
      description = "How batches are compressed. Default: ${DEFAULT-VALUE}.")
  String compression = "";

  @Option(
      names = "--property",
      paramLabel = "KEY=VALUE",
      description = "A setting of Kafka's producer; may be repeated.")
  Properties properties = new Properties();

  private final AtomicLong acknowledged = new AtomicLong();
  private final AtomicReference<@Nullable Exception> failure = new AtomicReference<>();

  @Override
  public Integer call() throws CommandFailure, IOException {
    Properties settings = bootstrap.clientProperties();
    settings.setProperty("acks", acks);
    settings.setProperty("enable.idempotence", String.valueOf(acks.matches("all|-1")));
    settings.setProperty("compression.type", compression);
    settings.setProperty("linger.ms", "5");
    settings.setProperty("max.block.ms", "30000");
    settings.putAll(properties);
    try (KafkaProducer<byte[], byte[]> producer =
        new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer())) {
      sendAll(producer);
    } catch (KafkaException e) {
      throw failed(e);
    }
    Exception failed = failure.get();
    if (failed != null) {
      throw failed(failed);
    }
    System.err.println(acknowledged + " records written to " + topic + ".");
    return ExitCodes.OK;
  }

  private CommandFailure failed(Exception cause) {
    return CommandFailure.failed(
        "writing to "
            + topic
            + " failed after "
            + acknowledged
            + " records: "
            + FailureText.of(cause));
  }

  private void sendAll(KafkaProducer<byte[], byte[]> producer) throws CommandFailure, IOException {
    LineReader lines = new LineReader(System.in);
    byte[] separator = keySeparator == null ? null : keySeparator.getBytes(UTF_8);
    Callback callback =
        (metadata, exception) -> {
          if (exception == null) {
            acknowledged.incrementAndGet();
          } else {
            failure.compareAndSet(null, exception);
          }
        };
    for (byte[] line = lines.next(); line != null; line = lines.next()) {
      Object unused = producer.send(record(line, separator), callback);
      if (failure.get() != null) {
        return;
      }
      if (lines.wouldWait()) {
        producer.flush(); // someone types: let them see it arrive
      }
    }
    producer.flush();
  }

  private ProducerRecord<byte[], byte[]> record(byte[] line, byte @Nullable [] separator)
      throws CommandFailure {
    if (separator == null) {
      return new ProducerRecord<>(topic, line);
    }
    int at = indexOf(line, separator);
    if (at < 0) {
      throw CommandFailure.failed(
          "the line '"
              + new String(line, UTF_8)
              + "' has no '"
              + keySeparator
              + "'; leave --key-separator out for records without a key");
    }
    return new ProducerRecord<>(
        topic,
        Arrays.copyOf(line, at),
        Arrays.copyOfRange(line, at + separator.length, line.length));
  }

  private static int indexOf(byte[] line, byte[] separator) {
    for (int i = 0; i + separator.length <= line.length; i++) {
      if (Arrays.equals(line, i, i + separator.length, separator, 0, separator.length)) {
        return i;
      }
    }
    return -1;
  }
}
