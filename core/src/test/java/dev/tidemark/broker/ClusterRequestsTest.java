package dev.tidemark.broker;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.admin.FeatureUpdate.UpgradeType;
import org.apache.kafka.common.ElectionType;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.message.AlterPartitionReassignmentsRequestData;
import org.apache.kafka.common.message.AlterPartitionReassignmentsRequestData.ReassignablePartition;
import org.apache.kafka.common.message.AlterPartitionReassignmentsRequestData.ReassignableTopic;
import org.apache.kafka.common.message.CreateTopicsRequestData;
import org.apache.kafka.common.message.DescribeQuorumResponseData;
import org.apache.kafka.common.message.ElectLeadersResponseData;
import org.apache.kafka.common.message.ListConfigResourcesRequestData;
import org.apache.kafka.common.message.UpdateFeaturesRequestData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.AlterPartitionReassignmentsRequest;
import org.apache.kafka.common.requests.AlterPartitionReassignmentsResponse;
import org.apache.kafka.common.requests.CreateTopicsRequest;
import org.apache.kafka.common.requests.CreateTopicsResponse;
import org.apache.kafka.common.requests.DescribeQuorumRequest;
import org.apache.kafka.common.requests.DescribeQuorumResponse;
import org.apache.kafka.common.requests.ElectLeadersRequest;
import org.apache.kafka.common.requests.ElectLeadersResponse;
import org.apache.kafka.common.requests.ListConfigResourcesRequest;
import org.apache.kafka.common.requests.ListConfigResourcesResponse;
import org.apache.kafka.common.requests.UpdateFeaturesRequest;
import org.apache.kafka.common.requests.UpdateFeaturesResponse;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What clients ask of the cluster as a whole. */
class ClusterRequestsTest {
  private ControlPlane plane = new ControlPlane(Map.of());

  @BeforeEach
  void createTopic() {
    CreateTopicsRequestData data = new CreateTopicsRequestData();
    data.topics()
        .mustAdd(
            new CreateTopicsRequestData.CreatableTopic()
                .setName("t")
                .setNumPartitions(2)
                .setReplicationFactor((short) 1));
    CreateTopicsResponse answer =
        plane.call(
            new CreateTopicsRequest(data, ApiKeys.CREATE_TOPICS.latestVersion()),
            CreateTopicsResponse.class);
    assertThat(answer.errorCounts()).containsOnlyKeys(Errors.NONE);
  }

  private Errors update(String feature, int level, UpgradeType type, boolean validateOnly) {
    UpdateFeaturesRequestData data = new UpdateFeaturesRequestData().setValidateOnly(validateOnly);
    data.featureUpdates()
        .mustAdd(
            new UpdateFeaturesRequestData.FeatureUpdateKey()
                .setFeature(feature)
                .setMaxVersionLevel((short) level)
                .setUpgradeType(type.code()));
    UpdateFeaturesResponse answer =
        plane.call(new UpdateFeaturesRequest(data, (short) 2), UpdateFeaturesResponse.class);
    return answer.topLevelError().error();
  }

  private short level(String feature) {
    return plane.view.image().features().finalizedVersions().getOrDefault(feature, (short) 0);
  }

  @Test
  void a_feature_goes_down_and_up_as_asked_and_stays_so_after_a_restart() {
    assertThat(update("transaction.version", 1, UpgradeType.SAFE_DOWNGRADE, false))
        .isEqualTo(Errors.NONE);
    assertThat(level("transaction.version")).isEqualTo((short) 1);
    plane = plane.restarted(Map.of());
    assertThat(level("transaction.version")).isEqualTo((short) 1);
    assertThat(update("transaction.version", 2, UpgradeType.UPGRADE, false)).isEqualTo(Errors.NONE);
    assertThat(level("transaction.version")).isEqualTo((short) 2);
  }

  @Test
  void a_feature_is_not_lowered_by_mistake_nor_set_to_what_is_not_supported() {
    assertThat(update("group.version", 0, UpgradeType.UPGRADE, false))
        .isEqualTo(Errors.INVALID_UPDATE_VERSION);
    assertThat(update("transaction.version", 2, UpgradeType.SAFE_DOWNGRADE, false))
        .isEqualTo(Errors.NONE);
    assertThat(update("group.version", 9, UpgradeType.UPGRADE, false))
        .isEqualTo(Errors.INVALID_UPDATE_VERSION);
    assertThat(update("no.such.feature", 1, UpgradeType.UPGRADE, false))
        .isEqualTo(Errors.INVALID_UPDATE_VERSION);
    assertThat(update("metadata.version", 7, UpgradeType.UNSAFE_DOWNGRADE, false))
        .isEqualTo(Errors.INVALID_UPDATE_VERSION);
    assertThat(update("kraft.version", 0, UpgradeType.SAFE_DOWNGRADE, false))
        .isEqualTo(Errors.INVALID_UPDATE_VERSION);
    assertThat(level("group.version")).isEqualTo((short) 1);
  }

  @Test
  void an_update_that_only_validates_changes_nothing() {
    assertThat(update("group.version", 0, UpgradeType.SAFE_DOWNGRADE, true)).isEqualTo(Errors.NONE);
    assertThat(level("group.version")).isEqualTo((short) 1);
  }

  private ElectLeadersResponseData elect(
      ElectionType type, @Nullable List<TopicPartition> partitions) {
    return plane
        .call(
            new ElectLeadersRequest.Builder(type, partitions, 1000).build(),
            ElectLeadersResponse.class)
        .data();
  }

  @Test
  void one_node_leads_all_it_has_so_no_election_is_needed() {
    List<TopicPartition> asked =
        List.of(new TopicPartition("t", 1), new TopicPartition("t", 2), new TopicPartition("u", 0));
    for (ElectionType type : ElectionType.values()) {
      List<Errors> errors = new ArrayList<>();
      elect(type, asked)
          .replicaElectionResults()
          .forEach(
              topic ->
                  topic
                      .partitionResult()
                      .forEach(one -> errors.add(Errors.forCode(one.errorCode()))));
      assertThat(errors)
          .containsExactly(
              Errors.ELECTION_NOT_NEEDED,
              Errors.UNKNOWN_TOPIC_OR_PARTITION,
              Errors.UNKNOWN_TOPIC_OR_PARTITION);
      assertThat(elect(type, null).replicaElectionResults())
          .singleElement()
          .satisfies(topic -> assertThat(topic.partitionResult()).isEmpty());
    }
  }

  private Errors reassign(int partition, @Nullable List<Integer> replicas) {
    AlterPartitionReassignmentsRequestData data =
        new AlterPartitionReassignmentsRequestData()
            .setTopics(
                List.of(
                    new ReassignableTopic()
                        .setName("t")
                        .setPartitions(
                            List.of(
                                new ReassignablePartition()
                                    .setPartitionIndex(partition)
                                    .setReplicas(replicas)))));
    AlterPartitionReassignmentsResponse answer =
        plane.call(
            new AlterPartitionReassignmentsRequest.Builder(data).build(),
            AlterPartitionReassignmentsResponse.class);
    return Errors.forCode(answer.data().responses().get(0).partitions().get(0).errorCode());
  }

  @Test
  void a_partition_can_be_assigned_to_where_it_is_and_nowhere_else() {
    assertThat(reassign(0, List.of(1))).isEqualTo(Errors.NONE);
    assertThat(reassign(0, null)).isEqualTo(Errors.NO_REASSIGNMENT_IN_PROGRESS);
    assertThat(reassign(0, List.of())).isEqualTo(Errors.INVALID_REPLICA_ASSIGNMENT);
    assertThat(reassign(0, List.of(1, 1))).isEqualTo(Errors.INVALID_REPLICA_ASSIGNMENT);
    assertThat(reassign(0, List.of(2))).isEqualTo(Errors.INVALID_REPLICA_ASSIGNMENT);
    assertThat(reassign(2, List.of(1))).isEqualTo(Errors.UNKNOWN_TOPIC_OR_PARTITION);
  }

  @Test
  void the_quorum_is_this_node_and_has_all_of_the_log() {
    DescribeQuorumResponseData answer = quorum("__cluster_metadata", 0);
    var partition = answer.topics().get(0).partitions().get(0);
    assertThat(partition.leaderId()).isEqualTo(1);
    assertThat(partition.currentVoters())
        .singleElement()
        .satisfies(
            voter -> {
              assertThat(voter.replicaId()).isEqualTo(1);
              assertThat(voter.logEndOffset()).isEqualTo(partition.highWatermark()).isPositive();
              assertThat(voter.lastCaughtUpTimestamp()).isEqualTo(plane.data.clock().wallMs());
            });
    assertThat(answer.nodes().find(1)).isNotNull();
    assertThat(quorum("t", 0).topics().get(0).partitions().get(0).errorCode())
        .isEqualTo(Errors.UNKNOWN_TOPIC_OR_PARTITION.code());
  }

  private DescribeQuorumResponseData quorum(String topic, int partition) {
    return plane
        .call(
            new DescribeQuorumRequest.Builder(
                    DescribeQuorumRequest.singletonRequest(new TopicPartition(topic, partition)))
                .build(),
            DescribeQuorumResponse.class)
        .data();
  }

  private Optional<List<String>> resources(ConfigResource.Type... types) {
    List<Byte> codes = new ArrayList<>();
    for (ConfigResource.Type type : types) {
      codes.add(type.id());
    }
    ListConfigResourcesResponse answer =
        plane.call(
            new ListConfigResourcesRequest.Builder(
                    new ListConfigResourcesRequestData().setResourceTypes(codes))
                .build(),
            ListConfigResourcesResponse.class);
    return answer.error().error() == Errors.NONE
        ? Optional.of(
            answer.configResources().stream()
                .map(resource -> resource.type() + " " + resource.name())
                .toList())
        : Optional.empty();
  }

  @Test
  void resources_with_configs_are_listed_by_type() {
    assertThat(resources()).contains(List.of("TOPIC t", "BROKER 1", "BROKER_LOGGER 1"));
    assertThat(resources(ConfigResource.Type.TOPIC)).contains(List.of("TOPIC t"));
    assertThat(resources(ConfigResource.Type.CLIENT_METRICS)).contains(List.of());
    assertThat(resources(ConfigResource.Type.UNKNOWN)).isEmpty();
  }
}
