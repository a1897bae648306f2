package dev.tidemark.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A volume of a few MiB that can be filled and freed: a tmpfs, for which the tests must run as root
 * as they do in CI; otherwise they are skipped with a line that says so.
 */
final class SmallVolume implements AutoCloseable {
  private static final String FILLER = "filler";

  private final Path root;

  private SmallVolume(Path root) {
    this.root = root;
  }

  static SmallVolume mount(int mebibytes) throws Exception {
    Needed.of(isRoot(), "root, for a small volume");
    Path root = Installation.get().newFolder("volume");
    Ran mount =
        Ran.of(
            new ProcessBuilder(
                "mount",
                "-t",
                "tmpfs",
                "-o",
                "size=" + mebibytes + "m,mode=777",
                "tmpfs",
                root.toString()),
            "");
    assertThat(mount.exitCode())
        .as("a small volume can be mounted (this takes root): %s", mount.err())
        .isZero();
    return new SmallVolume(root);
  }

  private static boolean isRoot() throws IOException {
    return Files.getAttribute(Path.of("/proc/self"), "unix:uid").equals(0);
  }

  Path root() {
    return root;
  }

  /** Takes all but {@code leftBytes}. */
  void fill(long leftBytes) throws IOException {
    long bytes = Files.getFileStore(root).getUsableSpace() - leftBytes;
    Files.write(root.resolve(FILLER), new byte[Math.toIntExact(bytes)]);
  }

  /** Takes all there is, to the last page. */
  void fillUp() throws IOException {
    try (OutputStream filler = Files.newOutputStream(root.resolve(FILLER))) {
      byte[] page = new byte[4096];
      for (long written = 0; written < Files.getFileStore(root).getTotalSpace() * 2; written++) {
        filler.write(page);
      }
    } catch (IOException e) {
      assertThat(e).hasMessageContaining("No space left");
      return;
    }
    throw new AssertionError("the volume did not fill");
  }

  void free() throws IOException {
    Files.delete(root.resolve(FILLER));
  }

  @Override
  public void close() throws IOException {
    try {
      Ran.of(new ProcessBuilder("umount", "--lazy", root.toString()), "").requireSuccess();
    } catch (InterruptedException e) {
      throw new IOException(e);
    }
  }
}
