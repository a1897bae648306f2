package dev.tidemark.metadata;

import java.util.Collections;
import java.util.Set;
import java.util.function.Supplier;
import org.apache.kafka.image.MetadataDelta;
import org.apache.kafka.image.MetadataImage;
import org.apache.kafka.image.TopicDelta;
import org.apache.kafka.metadata.BrokerRegistration;
import org.apache.kafka.metadata.PartitionRegistration;
import org.apache.kafka.metadata.Replicas;

/** What holds of partitions after every committed batch. */
final class MetadataInvariants implements MetadataListener {
  private final PartitionPolicy policy =
      new PartitionPolicy(new EffectiveConfigs(9, java.util.Map.of()));

  @Override
  public void onMetadataUpdate(MetadataDelta delta, MetadataImage image) {
    if (delta.topicsDelta() != null) {
      for (TopicDelta topic : delta.topicsDelta().changedTopics().values()) {
        topic
            .partitionChanges()
            .forEach(
                (index, state) -> {
                  PartitionRegistration old = topic.image().partitions().get(index);
                  if (old != null && old.partitionEpoch != state.partitionEpoch) {
                    checkStep(topic.name() + "-" + index, old, state);
                  }
                });
      }
    }
    image
        .topics()
        .topicsByName()
        .values()
        .forEach(
            topic ->
                topic
                    .partitions()
                    .forEach(
                        (index, state) ->
                            checkState(
                                topic.name() + "-" + index,
                                image,
                                state,
                                policy.minInsyncReplicas(image, topic.name()))));
  }

  private static void checkStep(
      String name, PartitionRegistration old, PartitionRegistration state) {
    Supplier<String> about = () -> name + " from " + old + " to " + state;
    check(state.partitionEpoch > old.partitionEpoch, about, "the partition epoch rises");
    check(state.leaderEpoch >= old.leaderEpoch, about, "the leader epoch never falls");
    check(
        state.leader == old.leader || state.leaderEpoch > old.leaderEpoch,
        about,
        "another leader has another epoch");
  }

  private static void checkState(
      String name, MetadataImage image, PartitionRegistration state, int minIsr) {
    Supplier<String> about = () -> name + ": " + state;
    Set<Integer> replicas = Replicas.toSet(state.replicas);
    Set<Integer> isr = Replicas.toSet(state.isr);
    Set<Integer> elr = Replicas.toSet(state.elr);
    check(replicas.size() == state.replicas.length && !replicas.isEmpty(), about, "replicas");
    check(isr.size() == state.isr.length && replicas.containsAll(isr), about, "ISR in replicas");
    check(elr.size() == state.elr.length && replicas.containsAll(elr), about, "ELR in replicas");
    check(Collections.disjoint(isr, elr), about, "ELR apart from ISR");
    check(
        elr.isEmpty() || isr.size() < Math.min(minIsr, replicas.size()),
        about,
        "ELR only while the ISR is below its floor");
    check(state.directories.length == state.replicas.length, about, "a folder per replica");
    check(replicas.containsAll(Replicas.toSet(state.addingReplicas)), about, "adding");
    check(replicas.containsAll(Replicas.toSet(state.removingReplicas)), about, "removing");
    if (state.hasLeader()) {
      check(isr.contains(state.leader), about, "the leader in the ISR");
      BrokerRegistration leader = image.cluster().broker(state.leader);
      check(leader != null && !leader.inControlledShutdown(), about, "a leader that stays");
    }
    for (int member : isr) {
      BrokerRegistration broker = image.cluster().broker(member);
      check(broker != null && !broker.fenced(), about, "no fenced broker in the ISR");
    }
  }

  private static void check(boolean holds, Supplier<String> about, String what) {
    if (!holds) {
      throw new AssertionError(what + ": " + about.get());
    }
  }
}
