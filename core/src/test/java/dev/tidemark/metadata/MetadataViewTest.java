package dev.tidemark.metadata;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Set;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.metadata.RemoveTopicRecord;
import org.apache.kafka.common.metadata.TopicRecord;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.image.MetadataDelta;
import org.apache.kafka.image.MetadataImage;
import org.apache.kafka.image.MetadataProvenance;
import org.junit.jupiter.api.Test;

class MetadataViewTest {
  @Test
  void aListenerThatCannotFollowIsNamedWithTheOffset() {
    MetadataView view = new MetadataView();
    view.addListener(
        (delta, image) -> {
          throw new IllegalStateException("for this test");
        });
    assertThatThrownBy(
            () ->
                view.publish(
                    new MetadataDelta.Builder().setImage(MetadataImage.EMPTY).build(),
                    MetadataImage.EMPTY))
        .isInstanceOf(MetadataNotApplied.class)
        .hasMessageContaining("cannot follow the metadata log to offset -1")
        .hasMessageContaining("for this test");
  }

  @Test
  void deletionsAreKeptUntilLogsAreOpenedForFoldersOfTopicsThatAreGoneSince() {
    MetadataView view = new MetadataView();
    Uuid before = new Uuid(1, 1);
    view.noteDeletedBefore(Set.of(before));
    view.keepDeletions();
    Uuid topic = new Uuid(1, 2);
    change(view, new TopicRecord().setName("t").setTopicId(topic));
    assertThat(view.wasDeletedBefore(topic)).isFalse();

    change(view, new RemoveTopicRecord().setTopicId(topic));
    assertThat(view.wasDeletedBefore(topic)).isTrue();
    assertThat(view.wasDeletedBefore(before)).isTrue();

    view.forgetDeletions();
    assertThat(view.wasDeletedBefore(topic)).isFalse();
  }

  private static void change(MetadataView view, ApiMessage record) {
    MetadataDelta delta = new MetadataDelta.Builder().setImage(view.image()).build();
    delta.replay(record);
    view.publish(delta, delta.apply(new MetadataProvenance(view.image().offset() + 1, 1, 0, true)));
  }
}
