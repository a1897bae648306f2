package dev.tidemark.cli;

import java.util.Collection;
import java.util.List;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.internals.Topic;
import org.jspecify.annotations.Nullable;

/** What commands share that name topics. */
final class Topics {
  private Topics() {}

  /** Refuses what can be no topic's name before anything is asked, read or written. */
  static void requireName(String name) throws CommandFailure {
    try {
      Topic.validate(name);
    } catch (InvalidTopicException e) {
      String why = FailureText.of(e).replaceFirst("^Topic name is invalid: ", "");
      throw CommandFailure.usage("a topic's name is invalid: " + why + "; correct it");
    }
  }

  /** A topic that must exist; fails with what to do when it does not. */
  static TopicDescription describe(Admin admin, String name)
      throws CommandFailure, InterruptedException {
    KafkaFuture<TopicDescription> answer =
        admin.describeTopics(List.of(name)).topicNameValues().get(name);
    if (answer == null) {
      throw CommandFailure.failed("the broker did not answer for topic " + name);
    }
    try {
      return AdminCommand.await(answer);
    } catch (CommandFailure e) {
      throw explained(e, name);
    }
  }

  /** Whether there is such a topic. */
  static boolean exists(Admin admin, String name) throws CommandFailure, InterruptedException {
    try {
      TopicDescription unused = describe(admin, name);
      return true;
    } catch (CommandFailure e) {
      if (isUnknown(e)) {
        return false;
      }
      throw e;
    }
  }

  /** Fails when one of the topics does not exist. */
  static void requireAll(Admin admin, Collection<String> names)
      throws CommandFailure, InterruptedException {
    for (String name : names) {
      TopicDescription unused = describe(admin, name);
    }
  }

  /** The same failure, and what to do where the topic does not exist. */
  static CommandFailure explained(CommandFailure e, String name) {
    return isUnknown(e) ? unknown(name, e.getCause()) : e;
  }

  static CommandFailure unknown(String name) {
    return unknown(name, null);
  }

  private static CommandFailure unknown(String name, @Nullable Throwable cause) {
    return CommandFailure.failed(
        "there is no topic " + name + "; 'tidemark topic list' shows those there are", cause);
  }

  private static boolean isUnknown(CommandFailure e) {
    return e.getCause() instanceof UnknownTopicOrPartitionException;
  }
}
