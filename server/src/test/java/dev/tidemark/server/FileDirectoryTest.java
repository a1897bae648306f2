package dev.tidemark.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tidemark.env.Directory;
import dev.tidemark.env.FileSlice;
import dev.tidemark.env.LogFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileDirectoryTest {
  @TempDir Path folder;

  @Test
  void readsBackWhatWasWrittenAtAnyPosition() throws IOException {
    Directory directory = new FileDirectory(folder);
    try (LogFile file = directory.open("a.log", Directory.OpenMode.READ_WRITE)) {
      file.write(bytes("0123456789"), 0);
      file.write(bytes("AB"), 4);
      file.sync();
      ByteBuffer target = ByteBuffer.allocate(20);
      assertThat(file.read(target, 2)).isEqualTo(8);
      assertThat(text(target)).isEqualTo("23AB6789");
      assertThat(file.read(ByteBuffer.allocate(1), 10)).isZero();
      file.truncate(20);
      assertThat(file.size()).isEqualTo(10);
      file.truncate(3);
      assertThat(file.size()).isEqualTo(3);
    }
  }

  @Test
  void aSliceStaysReadableAfterItsFileWasClosedAndDeleted() throws IOException {
    Directory directory = new FileDirectory(folder);
    LogFile file = directory.open("a.log", Directory.OpenMode.READ_WRITE);
    file.write(bytes("0123456789"), 0);
    FileSlice slice = file.slice(3, 4);
    file.close();
    file.close();
    directory.delete("a.log");
    ByteBuffer target = ByteBuffer.allocate(10);
    assertThat(slice.read(target, 1)).isEqualTo(3);
    assertThat(text(target)).isEqualTo("456");
    slice.release();
    assertThatThrownBy(() -> slice.read(ByteBuffer.allocate(1), 0)).isInstanceOf(IOException.class);
  }

  @Test
  void listsSortedRenamesReplacesAndDeletesFoldersWithAllTheyHold() throws IOException {
    Directory directory = new FileDirectory(folder);
    Directory inner = directory.directory("t-0");
    inner.create();
    inner.directory("deep").create();
    inner.writeAtomically("b", "one".getBytes(UTF_8));
    inner.writeAtomically("a", "two".getBytes(UTF_8));
    assertThat(inner.list()).containsExactly("a", "b", "deep");
    inner.rename("a", "b");
    assertThat(inner.readAll("b")).isEqualTo("two".getBytes(UTF_8));
    assertThat(inner.size("b")).isEqualTo(3);
    assertThat(inner.lastModifiedMs("b")).isPositive();
    assertThat(directory.isDirectory("t-0")).isTrue();
    directory.rename("t-0", "t-0.deleted");
    directory.delete("t-0.deleted");
    directory.delete("t-0.deleted");
    directory.sync();
    assertThat(directory.list()).isEmpty();
    assertThat(directory.usableBytes()).isPositive();
  }

  @Test
  void failuresNameThePathAndTheReason() {
    Directory directory = new FileDirectory(folder.resolve("none"));
    assertThatThrownBy(directory::list)
        .isInstanceOf(FileFailure.class)
        .hasMessage("cannot list " + directory.path() + ": it does not exist");
    assertThatThrownBy(() -> directory.open("x", Directory.OpenMode.READ))
        .hasMessage("cannot open " + directory.path() + "/x: it does not exist");
  }

  @Test
  void refusesNamesThatLeadOutOfTheFolder() {
    Directory directory = new FileDirectory(folder);
    assertThatThrownBy(() -> directory.exists("../x")).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> directory.delete("..")).isInstanceOf(IllegalArgumentException.class);
  }

  private static ByteBuffer bytes(String text) {
    return ByteBuffer.wrap(text.getBytes(UTF_8));
  }

  private static String text(ByteBuffer buffer) {
    return UTF_8.decode(buffer.duplicate().flip()).toString();
  }
}
