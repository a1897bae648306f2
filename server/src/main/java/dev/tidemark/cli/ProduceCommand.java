package dev.tidemark.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
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
  private static final Set<String> ACKS = Set.of("all", "-1", "1", "0");
  private static final Set<String> COMPRESSIONS = Set.of("none", "gzip", "snappy", "lz4", "zstd");

  /** For what a failure left unsent; all else was flushed before. */
  private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(10);

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
  public Integer call() throws CommandFailure, IOException, InterruptedException {
    refuseMistakes();
    Properties settings = settings();
    requireTopic(settings);
    try {
      KafkaProducer<byte[], byte[]> producer =
          new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer());
      try {
        sendAll(producer);
      } finally {
        producer.close(CLOSE_TIMEOUT);
      }
    } catch (KafkaException e) {
      throw failed(e);
    }
    Exception failed = failure.get();
    if (failed != null) {
      throw failed(failed);
    }
    System.err.println(records() + " written to " + topic + ".");
    return ExitCodes.OK;
  }

  private Properties settings() throws CommandFailure {
    Properties settings = bootstrap.clientProperties(properties);
    settings.putIfAbsent("acks", acks);
    settings.putIfAbsent("enable.idempotence", String.valueOf(acks.matches("all|-1")));
    settings.putIfAbsent("compression.type", compression);
    settings.putIfAbsent("linger.ms", "5");
    settings.putIfAbsent("max.block.ms", "30000");
    return settings;
  }

  /** A producer would look for a topic that nobody creates until its time is over. */
  private void requireTopic(Properties settings) throws CommandFailure, InterruptedException {
    Properties connection = new Properties();
    settings.forEach(
        (key, value) -> {
          if (AdminClientConfig.configNames().contains(String.valueOf(key))) {
            connection.put(key, value);
          }
        });
    Admin admin = Admin.create(connection);
    try {
      if (!Topics.exists(admin, topic) && !Brokers.createTopicsOnUse(admin)) {
        throw CommandFailure.failed(
            "there is no topic %s, and the broker creates none on use (auto.create.topics.enable=false); create it with 'tidemark topic create %s'"
                .formatted(topic, topic));
      }
    } finally {
      admin.close(CLOSE_TIMEOUT);
    }
  }

  private void refuseMistakes() throws CommandFailure {
    Topics.requireName(topic);
    if (properties.containsKey("transactional.id")) {
      throw CommandFailure.failed(
          "transactional.id cannot be used: transactions are not supported yet; leave it out");
    }
    if (!ACKS.contains(acks)) {
      throw CommandFailure.usage("--acks " + acks + " is not one of all, 1, 0");
    }
    if (!COMPRESSIONS.contains(compression)) {
      throw CommandFailure.usage(
          "--compression " + compression + " is not one of none, gzip, snappy, lz4, zstd");
    }
    if (keySeparator != null && keySeparator.isEmpty()) {
      throw CommandFailure.usage("--key-separator is empty; leave it out for records without keys");
    }
  }

  private String records() {
    long count = acknowledged.get();
    return count + (count == 1 ? " record" : " records");
  }

  private CommandFailure failed(Exception cause) {
    return CommandFailure.failed(
        "writing to " + topic + " failed after " + records() + ": " + FailureText.of(cause));
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
    long number = 0;
    for (byte[] line = lines.next(); line != null; line = lines.next()) {
      number++;
      ProducerRecord<byte[], byte[]> record = record(line, separator);
      if (record == null) {
        producer.flush();
        throw withoutSeparator(line, number);
      }
      Object unused = producer.send(record, callback);
      if (failure.get() != null) {
        return;
      }
      if (lines.wouldWait()) {
        producer.flush(); // someone types: let them see it arrive
      }
    }
    producer.flush();
  }

  private CommandFailure withoutSeparator(byte[] line, long number) {
    return CommandFailure.failed(
        "line "
            + number
            + " ('"
            + new String(line, UTF_8)
            + "') has no '"
            + keySeparator
            + "'; "
            + records()
            + " written before it; leave --key-separator out for records without a key");
  }

  /** Null when the line has no separator where it needs one. */
  private @Nullable ProducerRecord<byte[], byte[]> record(
      byte[] line, byte @Nullable [] separator) {
    if (separator == null) {
      return new ProducerRecord<>(topic, line);
    }
    int at = indexOf(line, separator);
    if (at < 0) {
      return null;
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
