package dev.tidemark.metadata;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.quorum.MetadataBatch;
import dev.tidemark.quorum.MetadataLog;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import org.apache.kafka.common.message.DeleteTopicsRequestData;
import org.apache.kafka.image.MetadataImage;
import org.apache.kafka.image.writer.ImageWriterOptions;
import org.apache.kafka.image.writer.RecordListWriter;
import org.apache.kafka.server.common.ApiMessageAndVersion;
import org.junit.jupiter.api.Test;

/** A controller that does not decide follows the log, over snapshots too. */
class FollowingControllerTest {
  private final ControlledCluster cluster = ControlledCluster.of(2);
  private final MetadataView view = new MetadataView();
  private final List<MetadataLog.Listener> told = new ArrayList<>();
  private final FakeMetadataLog never =
      new FakeMetadataLog() {
        @Override
        public void start(Listener hearer) {
          told.add(hearer);
        }
      };

  private void startFollowing() throws Exception {
    new Controller(
            never,
            view,
            cluster.control,
            cluster.data,
            new ControllerSettings(8, 1, OptionalInt.empty(), true, Map.of()))
        .start();
    cluster.data.runAll();
  }

  private static List<ApiMessageAndVersion> records(MetadataImage image) {
    RecordListWriter writer = new RecordListWriter();
    image.write(writer, new ImageWriterOptions.Builder(image).build());
    return writer.records();
  }

  @Test
  void a_snapshot_takes_the_place_of_all_that_was_known() throws Exception {
    cluster.create("gone", 1, 2);
    cluster.create("kept", 2, 1);
    startFollowing();
    for (MetadataBatch batch : cluster.log.batches) {
      told.get(0).onCommit(batch);
    }
    cluster.data.runAll();
    assertThat(view.image().topics().getTopic("gone")).isNotNull();

    cluster.controller.deleteTopics(
        new DeleteTopicsRequestData().setTopicNames(List.of("gone")), new Answer<>());
    cluster.create("new", 1);
    cluster.data.runAll();
    MetadataImage now = cluster.view.image();
    told.get(0).onSnapshot(new MetadataBatch(0, cluster.lastOffset(), 1, 1_000, records(now)));
    cluster.data.runAll();

    assertThat(view.image().topics()).isEqualTo(now.topics());
    assertThat(view.image().cluster()).isEqualTo(now.cluster());
    assertThat(view.image().configs()).isEqualTo(now.configs());
    assertThat(view.image().topics().getTopic("gone")).isNull();
    assertThat(view.image().provenance().lastContainedOffset()).isEqualTo(cluster.lastOffset());
  }
}
