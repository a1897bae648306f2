package dev.tidemark.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.Callable;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code tidemark consume}. */
@Command(
    name = "consume",
    description = "Prints the records of a topic, one per line, until it is stopped.")
final class ConsumeCommand implements Callable<Integer> {
  private static final Duration POLL = Duration.ofMillis(250);
  private static final long LEAVE_TIMEOUT_MS = 5_000;

  @Mixin BootstrapOptions bootstrap = new BootstrapOptions();

  @Parameters(paramLabel = "TOPIC", description = "The topic.")
  String topic = "";

  @Option(
      names = "--from-beginning",
      description = "From the first record on instead of only new ones.")
  boolean fromBeginning;

  @Option(names = "--max-messages", paramLabel = "N", description = "Stop after so many records.")
  long maxMessages = Long.MAX_VALUE;

  @Option(
      names = "--timeout-ms",
      paramLabel = "MS",
      description = "Stop when no record came for so long.")
  long timeoutMs = Long.MAX_VALUE;

  @Option(
      names = "--group",
      paramLabel = "NAME",
      description = "Read as a member of this consumer group and commit what was read.")
  @Nullable String group;

  @Option(
      names = "--key-separator",
      paramLabel = "TEXT",
      description = "Print the key and this text before each value.")
  @Nullable String keySeparator;

  @Option(
      names = "--property",
      paramLabel = "KEY=VALUE",
      description = "A setting of Kafka's consumer; may be repeated.")
  Properties properties = new Properties();

  @Override
  public Integer call() throws CommandFailure {
    refuseMistakes();
    Properties settings = settings();
    try (KafkaConsumer<byte[], byte[]> consumer =
        new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
      leaveWhenStopped(consumer);
      begin(consumer);
      try (OutputStream out = new BufferedOutputStream(new FileOutputStream(FileDescriptor.out))) {
        printAll(consumer, out);
      }
    } catch (WakeupException e) {
      return ExitCodes.OK; // Ctrl-C or SIGTERM; the process ends with the signal's code
    } catch (KafkaException e) {
      throw CommandFailure.failed("reading " + topic + " failed: " + FailureText.of(e));
    } catch (IOException e) {
      return ExitCodes.OK; // who read our output has had enough
    }
    return ExitCodes.OK;
  }

  private Properties settings() throws CommandFailure {
    Properties settings = bootstrap.clientProperties(properties);
    settings.putIfAbsent("auto.offset.reset", fromBeginning ? "earliest" : "latest");
    settings.putIfAbsent("default.api.timeout.ms", "30000");
    settings.putIfAbsent("allow.auto.create.topics", "false");
    if (group == null) {
      settings.putIfAbsent("enable.auto.commit", "false");
    } else {
      settings.putIfAbsent("group.id", group);
    }
    return settings;
  }

  private void refuseMistakes() throws CommandFailure {
    Topics.requireName(topic);
    if (maxMessages < 1) {
      throw CommandFailure.usage("--max-messages must be at least 1, not " + maxMessages);
    }
    if (timeoutMs < 1) {
      throw CommandFailure.usage("--timeout-ms must be at least 1, not " + timeoutMs);
    }
    if (keySeparator != null && keySeparator.isEmpty()) {
      throw CommandFailure.usage("--key-separator is empty; leave it out to print values only");
    }
  }

  /** A member that vanishes would keep its partitions until its session is over. */
  private static void leaveWhenStopped(KafkaConsumer<byte[], byte[]> consumer) {
    Thread reader = Thread.currentThread();
    Runtime.getRuntime()
        .addShutdownHook(
            new Thread(
                () -> {
                  consumer.wakeup();
                  try {
                    reader.join(LEAVE_TIMEOUT_MS);
                  } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                  }
                },
                "leave"));
  }

  private void begin(KafkaConsumer<byte[], byte[]> consumer) throws CommandFailure {
    List<TopicPartition> partitions = new ArrayList<>();
    for (PartitionInfo partition : consumer.partitionsFor(topic)) {
      partitions.add(new TopicPartition(topic, partition.partition()));
    }
    if (partitions.isEmpty()) {
      throw Topics.unknown(topic);
    }
    if (group == null) {
      consumer.assign(partitions);
    } else {
      consumer.subscribe(List.of(topic));
    }
  }

  private void printAll(KafkaConsumer<byte[], byte[]> consumer, OutputStream out)
      throws IOException {
    byte[] separator = keySeparator == null ? null : keySeparator.getBytes(UTF_8);
    long printed = 0;
    long quietSinceNs = System.nanoTime();
    while (printed < maxMessages) {
      ConsumerRecords<byte[], byte[]> records = consumer.poll(POLL);
      for (ConsumerRecord<byte[], byte[]> record : records) {
        if (printed < maxMessages) {
          print(record, separator, out);
          printed++;
        } else {
          giveBack(consumer, record);
        }
      }
      out.flush();
      long nowNs = System.nanoTime();
      if (!records.isEmpty()) {
        quietSinceNs = nowNs;
      } else if ((nowNs - quietSinceNs) / 1_000_000 >= timeoutMs) {
        return;
      }
    }
  }

  /** What was fetched and not printed is not committed when the consumer closes. */
  private static void giveBack(
      KafkaConsumer<byte[], byte[]> consumer, ConsumerRecord<byte[], byte[]> record) {
    TopicPartition partition = new TopicPartition(record.topic(), record.partition());
    if (record.offset() < consumer.position(partition)) {
      consumer.seek(partition, record.offset());
    }
  }

  private static void print(
      ConsumerRecord<byte[], byte[]> record, byte @Nullable [] separator, OutputStream out)
      throws IOException {
    if (separator != null) {
      out.write(orNull(record.key()));
      out.write(separator);
    }
    out.write(orNull(record.value()));
    out.write('\n');
  }

  private static byte[] orNull(byte @Nullable [] bytes) {
    return bytes == null ? "null".getBytes(UTF_8) : bytes;
  }
}
