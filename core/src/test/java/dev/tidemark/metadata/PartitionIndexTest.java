package dev.tidemark.metadata;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.metadata.PartitionChangeRecord;
import org.apache.kafka.common.metadata.PartitionRecord;
import org.apache.kafka.common.metadata.RemoveTopicRecord;
import org.apache.kafka.common.metadata.TopicRecord;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.image.MetadataDelta;
import org.apache.kafka.image.MetadataImage;
import org.apache.kafka.image.MetadataProvenance;
import org.junit.jupiter.api.Test;

class PartitionIndexTest {
  private static final Uuid TOPIC = new Uuid(3, 3);
  private static final PartitionKey KEY = new PartitionKey(TOPIC, 0);

  private final PartitionIndex index = new PartitionIndex();
  private MetadataImage image = MetadataImage.EMPTY;

  private void commit(ApiMessage... records) {
    MetadataDelta delta = new MetadataDelta.Builder().setImage(image).build();
    for (ApiMessage record : records) {
      delta.replay(record);
    }
    image = delta.apply(MetadataProvenance.EMPTY);
    index.onMetadataUpdate(delta);
  }

  private void create() {
    commit(
        new TopicRecord().setName("t").setTopicId(TOPIC),
        new PartitionRecord()
            .setTopicId(TOPIC)
            .setPartitionId(0)
            .setReplicas(List.of(1, 2))
            .setIsr(List.of(1, 2))
            .setDirectories(List.of(new Uuid(1, 1), new Uuid(2, 2)))
            .setLeader(1));
  }

  private static PartitionChangeRecord change() {
    return new PartitionChangeRecord().setTopicId(TOPIC).setPartitionId(0);
  }

  @Test
  void a_new_partition_is_found_by_its_replicas_and_its_leader() {
    create();

    assertThat(index.of(1)).containsExactly(KEY);
    assertThat(index.of(2)).containsExactly(KEY);
    assertThat(index.of(3)).isEmpty();
    assertThat(index.leaderships(1)).isEqualTo(1);
    assertThat(index.leaderships(2)).isZero();
    assertThat(index.notPreferred()).isEmpty();
  }

  @Test
  void it_follows_leaders() {
    create();
    commit(change().setLeader(2));
    assertThat(index.leaderships(1)).isZero();
    assertThat(index.leaderships(2)).isEqualTo(1);
    assertThat(index.notPreferred()).containsExactly(KEY);

    commit(change().setLeader(-1).setIsr(List.of()).setEligibleLeaderReplicas(List.of(1)));
    assertThat(index.leaderless()).containsExactly(KEY);
    assertThat(index.notPreferred()).isEmpty();
    assertThat(index.withEligible()).containsExactly(KEY);
    assertThat(index.leaderships(2)).isZero();
  }

  @Test
  void it_follows_replicas() {
    create();
    commit(
        change()
            .setReplicas(List.of(2, 3))
            .setDirectories(List.of(new Uuid(2, 2), new Uuid(3, 3)))
            .setIsr(List.of(2))
            .setLeader(2));

    assertThat(index.of(1)).isEmpty();
    assertThat(index.of(3)).containsExactly(KEY);
  }

  @Test
  void a_deleted_topic_leaves_nothing() {
    create();
    commit(change().setLeader(-1).setIsr(List.of()).setEligibleLeaderReplicas(List.of(1)));
    commit(new RemoveTopicRecord().setTopicId(TOPIC));

    assertThat(index.of(1)).isEmpty();
    assertThat(index.leaderless()).isEmpty();
    assertThat(index.withEligible()).isEmpty();
  }
}
