package dev.tidemark.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.server.BrokerProcess;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A server that clients cannot work with is told soon, with the reason. */
class BootstrapServerTest {
  private static CommandUnderTest list(String servers) {
    return CommandUnderTest.run(
        InputStream.nullInputStream(), "topic", "list", "--bootstrap-server", servers);
  }

  @Test
  void anAddressWithoutAPortIsRefusedWithAnExample() {
    for (String server :
        new String[] {"localhost", "[::1]", "::1", "localhost:", "", "h:0", "h:x"}) {
      list(server).requireRefused(2, "'" + server + "' has no", "port", "e.g. localhost:9092");
    }
    list("h:70000").requireRefused(2, "'h:70000' has no port from 1 to 65535");
    list(":9092").requireRefused(2, "has no host");
    list("127.0.0.1:1,h").requireRefused(2, "'h' has no port");
  }

  @Test
  void aNameThatIsUnknownIsNamed() {
    list("no-such-host.invalid:9092")
        .requireRefused(1, "no-such-host.invalid:9092", "name no-such-host.invalid is unknown");
  }

  @Test
  void aPortWhereNobodyListensIsNamed() {
    list("127.0.0.1:1").requireRefused(1, "127.0.0.1:1 (Connection refused)", "'tidemark dev'");
    list("127.0.0.1:1,127.0.0.1:2").requireRefused(1, "127.0.0.1:1 (", ", nor at 127.0.0.1:2 (");
  }

  @Test
  void aPortThatIsNoBrokersIsNamed() throws Exception {
    assertThat(greetedWith("HTTP/1.1 400 Bad Request\r\n\r\n"))
        .satisfies(ran -> ran.requireRefused(1, "does not speak Kafka", "something else"));
    assertThat(greetedWith(""))
        .satisfies(ran -> ran.requireRefused(1, "does not speak Kafka", "closed the connection"));
    assertThat(greetedWith(null))
        .satisfies(ran -> ran.requireRefused(1, "does not speak Kafka", "said nothing for 4 s"));
  }

  /** Runs a command against a server that says this to all it reads; null keeps it silent. */
  private static CommandUnderTest greetedWith(@Nullable String answer) throws Exception {
    try (ServerSocket server = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
      Thread serving = new Thread(() -> serve(server, answer), "no-broker");
      server.setSoTimeout(30_000); // a command that never comes
      serving.start();
      CommandUnderTest ran = list("127.0.0.1:" + server.getLocalPort());
      serving.join();
      return ran;
    }
  }

  private static void serve(ServerSocket server, @Nullable String answer) {
    try (Socket socket = server.accept()) {
      if (answer != null && socket.getInputStream().read(new byte[1024]) > 0) {
        socket.getOutputStream().write(answer.getBytes(java.nio.charset.StandardCharsets.UTF_8));
        return;
      }
      socket.getInputStream().transferTo(java.io.OutputStream.nullOutputStream());
    } catch (IOException e) {
      // The command has ended.
    }
  }

  @Test
  void aBrokerThatSendsItsClientsNowhereIsNamed(@TempDir Path folder) throws Exception {
    BrokerProcess broker =
        BrokerProcess.start(
            Map.of(
                "listeners", "PLAINTEXT://127.0.0.1:0",
                "advertised.listeners", "PLAINTEXT://127.0.0.1:1",
                "log.dirs", folder.toString()),
            true);
    try {
      list("127.0.0.1:" + broker.port())
          .requireRefused(
              1, "sends clients to 127.0.0.1:1", "Connection refused", "advertised.listeners");
    } finally {
      broker.stop();
    }
  }
}
