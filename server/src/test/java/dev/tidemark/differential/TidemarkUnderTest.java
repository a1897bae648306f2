package dev.tidemark.differential;

import dev.tidemark.process.Installation;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/** The release's own broker as a process. */
final class TidemarkUnderTest {
  private TidemarkUnderTest() {}

  static Peer start(Path folder, Map<String, String> shared) throws Exception {
    int port = Peer.freePort();
    StringBuilder text = new StringBuilder();
    text.append("listeners=PLAINTEXT://127.0.0.1:").append(port).append('\n');
    text.append("process.roles=broker,controller\n");
    text.append("log.dirs=").append(folder.resolve("data")).append('\n');
    shared.forEach((key, value) -> text.append(key).append('=').append(value).append('\n'));
    String config = folder.resolve("server.properties").toString();
    Files.writeString(Path.of(config), text);
    Installation release = Installation.get();
    Process format =
        release
            .command(Map.of(), "format", "--config", config)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    if (format.waitFor() != 0) {
      throw new IllegalStateException("the data folder was not formatted");
    }
    return Peer.start(
        "Tidemark", release.command(Map.of(), "server", "--config", config), folder, port);
  }
}
