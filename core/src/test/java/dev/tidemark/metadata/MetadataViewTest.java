package dev.tidemark.metadata;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.apache.kafka.image.MetadataDelta;
import org.apache.kafka.image.MetadataImage;
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
}
