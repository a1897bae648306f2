package dev.tidemark.cli;

import java.util.List;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.config.ConfigResource;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Option;

/** Whose settings a command is about: exactly one. */
final class ConfigTarget {
  @ArgGroup(multiplicity = "1")
  Choice choice = new Choice();

  /** One of its options is given. */
  static final class Choice {
    @Option(names = "--topic", paramLabel = "NAME", description = "A topic's settings.")
    @Nullable String topic;

    @Option(names = "--group", paramLabel = "NAME", description = "A group's settings.")
    @Nullable String group;

    @Option(names = "--broker", paramLabel = "ID", description = "A broker's settings.")
    @Nullable Integer broker;

    @Option(
        names = "--cluster",
        description = "What holds for all brokers that have no setting of their own.")
    boolean cluster;
  }

  /** Refuses a name that nothing can have. */
  void refuseMistakes() throws CommandFailure {
    if (choice.topic != null) {
      Topics.requireName(choice.topic);
    }
  }

  /** What the settings belong to; it exists, unless it is a group, which may come later. */
  ConfigResource resource(Admin admin) throws CommandFailure, InterruptedException {
    if (choice.broker != null) {
      Brokers.requireAll(admin, List.of(choice.broker));
    }
    if (choice.topic != null) {
      Topics.requireAll(admin, List.of(choice.topic));
    }
    return resource();
  }

  private ConfigResource resource() {
    if (choice.topic != null) {
      return new ConfigResource(ConfigResource.Type.TOPIC, choice.topic);
    }
    if (choice.group != null) {
      return new ConfigResource(ConfigResource.Type.GROUP, choice.group);
    }
    String broker = choice.broker == null ? "" : String.valueOf(choice.broker);
    return new ConfigResource(ConfigResource.Type.BROKER, broker);
  }

  /** True of one broker and of the cluster. */
  boolean isBroker() {
    return choice.topic == null && choice.group == null;
  }

  /** As in "the settings of …". */
  String text() {
    if (choice.topic != null) {
      return "topic " + choice.topic;
    }
    if (choice.group != null) {
      return "group " + choice.group;
    }
    return choice.broker == null ? "the cluster" : "broker " + choice.broker;
  }
}
