package dev.tidemark.metadata;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.AssignReplicasToDirsRequestData;
import org.apache.kafka.common.message.AssignReplicasToDirsResponseData;
import org.apache.kafka.common.message.CreatePartitionsRequestData;
import org.apache.kafka.common.message.CreatePartitionsResponseData;
import org.apache.kafka.common.message.CreateTopicsRequestData;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableTopic;
import org.apache.kafka.common.message.CreateTopicsResponseData;
import org.apache.kafka.common.message.CreateTopicsResponseData.CreatableTopicResult;
import org.apache.kafka.common.message.DeleteTopicsRequestData;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.image.TopicImage;
import org.apache.kafka.metadata.PartitionRegistration;
import org.apache.kafka.server.common.ProducerIdsBlock;
import org.junit.jupiter.api.Test;

class PlacementTest {
  private final ControlledCluster cluster = new ControlledCluster();

  private CreatableTopicResult create(String name, int partitions, int replicationFactor) {
    CreateTopicsRequestData request = new CreateTopicsRequestData();
    request
        .topics()
        .mustAdd(
            new CreatableTopic()
                .setName(name)
                .setNumPartitions(partitions)
                .setReplicationFactor((short) replicationFactor));
    Answer<CreateTopicsResponseData> answer = new Answer<>();
    cluster.controller.createTopics(request, answer);
    cluster.data.runAll();
    return answer.get().topics().iterator().next();
  }

  private Map<Integer, PartitionRegistration> partitions(String topic) {
    TopicImage image = Objects.requireNonNull(cluster.view.image().topics().getTopic(topic));
    return new TreeMap<>(image.partitions());
  }

  @Test
  void replicas_of_a_partition_lie_in_different_racks() {
    for (int id = 1; id <= 6; id++) {
      cluster.racks.put(id, "rack" + id % 3);
      cluster.join(id);
    }

    assertThat(create("t", 30, 3).errorCode()).isZero();

    Map<Integer, Integer> leaderships = new TreeMap<>();
    for (PartitionRegistration partition : partitions("t").values()) {
      Set<String> racks = new HashSet<>();
      for (int replica : partition.replicas) {
        racks.add(Objects.requireNonNull(cluster.racks.get(replica)));
      }
      assertThat(racks).hasSize(3);
      leaderships.merge(partition.leader, 1, Integer::sum);
    }
    assertThat(leaderships).hasSize(6);
    assertThat(leaderships.values()).allSatisfy(count -> assertThat(count).isBetween(3, 7));
  }

  @Test
  void the_default_is_three_replicas_where_there_are_three_brokers() {
    cluster.join(1);
    assertThat(create("one", -1, -1).replicationFactor()).isEqualTo((short) 1);
    cluster.join(2);
    cluster.join(3);
    cluster.join(4);
    assertThat(create("three", -1, -1).replicationFactor()).isEqualTo((short) 3);
  }

  @Test
  void fenced_brokers_lead_nothing_new_and_are_in_no_new_isr() {
    cluster.join(1);
    cluster.join(2);
    cluster.register(cluster.registration(3)).get();

    assertThat(create("two", 10, 2).errorCode()).isZero();
    assertThat(partitions("two").values())
        .allSatisfy(partition -> assertThat(partition.replicas).doesNotContain(3));

    assertThat(create("three", 4, 3).errorCode()).isZero();
    assertThat(partitions("three").values())
        .allSatisfy(
            partition -> {
              assertThat(partition.isr).containsExactlyInAnyOrder(1, 2);
              assertThat(partition.leader).isNotEqualTo(3);
            });
    assertThat(Errors.forCode(create("four", 1, 4).errorCode()))
        .isEqualTo(Errors.INVALID_REPLICATION_FACTOR);
  }

  @Test
  void an_assignment_to_fenced_brokers_only_is_refused() {
    cluster.join(1);
    cluster.register(cluster.registration(2)).get();

    org.assertj.core.api.Assertions.assertThatThrownBy(() -> cluster.create("t", 2))
        .hasMessageContaining("INVALID_REPLICA_ASSIGNMENT");
    cluster.create("u", 2, 1);
    assertThat(cluster.partition("u").leader).isEqualTo(1);
    assertThat(cluster.isr("u")).containsExactly(1);
  }

  @Test
  void added_partitions_have_as_many_replicas_as_the_others() {
    cluster.join(1);
    cluster.join(2);
    cluster.join(3);
    create("t", 1, 2);
    CreatePartitionsRequestData request = new CreatePartitionsRequestData();
    request
        .topics()
        .mustAdd(
            new CreatePartitionsRequestData.CreatePartitionsTopic()
                .setName("t")
                .setCount(6)
                .setAssignments(null));
    Answer<CreatePartitionsResponseData> answer = new Answer<>();
    cluster.controller.createPartitions(request, answer);
    cluster.data.runAll();

    assertThat(answer.get().results().get(0).errorCode()).isZero();
    assertThat(partitions("t")).hasSize(6);
    assertThat(partitions("t").values())
        .allSatisfy(partition -> assertThat(partition.replicas).hasSize(2));
  }

  @Test
  void a_topic_is_deleted_while_its_brokers_are_down_and_does_not_come_back_with_them() {
    cluster.join(1);
    cluster.join(2);
    create("t", 4, 2);
    cluster.pass(ControlledCluster.SESSION_MS + 500, 2);
    assertThat(cluster.broker(1).fenced()).isTrue();

    cluster.controller.deleteTopics(
        new DeleteTopicsRequestData().setTopicNames(List.of("t")), new Answer<>());
    cluster.data.runAll();
    cluster.join(1);

    assertThat(cluster.view.image().topics().isEmpty()).isTrue();
  }

  @Test
  void producer_ids_go_to_many_brokers_each_block_once() {
    cluster.join(1);
    cluster.join(2);
    Answer<ProducerIdsBlock> one = new Answer<>();
    Answer<ProducerIdsBlock> two = new Answer<>();

    cluster.controller.allocateProducerIds(1, cluster.broker(1).epoch(), one);
    cluster.controller.allocateProducerIds(2, cluster.broker(2).epoch(), two);

    assertThat(one.get().lastProducerId()).isLessThan(two.get().firstProducerId());
  }

  @Test
  void a_broker_tells_in_which_folders_its_replicas_lie() {
    cluster.join(1);
    cluster.join(2);
    Uuid topic = cluster.create("t", 1, 2);
    Uuid lost = new Uuid(66, 66);
    AssignReplicasToDirsRequestData request =
        new AssignReplicasToDirsRequestData()
            .setBrokerId(1)
            .setBrokerEpoch(cluster.broker(1).epoch());
    request
        .directories()
        .add(
            new AssignReplicasToDirsRequestData.DirectoryData()
                .setId(lost)
                .setTopics(
                    List.of(
                        new AssignReplicasToDirsRequestData.TopicData()
                            .setTopicId(topic)
                            .setPartitions(
                                List.of(
                                    new AssignReplicasToDirsRequestData.PartitionData()
                                        .setPartitionIndex(0),
                                    new AssignReplicasToDirsRequestData.PartitionData()
                                        .setPartitionIndex(7))))));
    Answer<AssignReplicasToDirsResponseData> answer = new Answer<>();
    cluster.controller.assignReplicasToDirs(request, answer);
    cluster.data.runAll();

    assertThat(answer.get().directories().get(0).topics().get(0).partitions())
        .extracting(one -> Errors.forCode(one.errorCode()))
        .containsExactly(Errors.NONE, Errors.UNKNOWN_TOPIC_OR_PARTITION);
    assertThat(cluster.partition("t").directory(1)).isEqualTo(lost);
    assertThat(cluster.partition("t").leader).isEqualTo(2); // that folder is not online
  }
}
