package dev.tidemark.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a link lets through, and what not. */
class LinkTest {
  private static final String AT = "127.77.99.98";
  private static final int NOTHING_COMES_MS = 200;
  private static final int PATIENCE_MS = 60_000;
  private static final int ENDS = 300;

  private ServerSocket node;
  private Link link;

  @BeforeEach
  void open() throws IOException {
    Needed.of(LinkedNetwork.isPossible(), "addresses beside 127.0.0.1 on its loopback");
    node = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
    node.setSoTimeout(PATIENCE_MS);
    link = new Link(AT, node.getLocalPort(), node.getLocalPort());
    link.setAlive(true);
  }

  @AfterEach
  void close() throws IOException {
    if (link != null) {
      link.close();
      node.close();
    }
  }

  private Socket call() throws IOException {
    Socket socket = new Socket(AT, node.getLocalPort());
    socket.setSoTimeout(NOTHING_COMES_MS);
    return socket;
  }

  private Socket take() throws IOException {
    Socket socket = node.accept();
    socket.setSoTimeout(NOTHING_COMES_MS);
    return socket;
  }

  private static void assertNothingComes(Socket socket) {
    assertThatThrownBy(() -> socket.getInputStream().read())
        .isInstanceOf(SocketTimeoutException.class);
  }

  private static void assertComes(Socket socket, int value) throws IOException {
    socket.setSoTimeout(PATIENCE_MS);
    assertThat(socket.getInputStream().read()).isEqualTo(value);
    socket.setSoTimeout(NOTHING_COMES_MS);
  }

  @Test
  void aCutInOneDirectionHoldsBackWhatIsSentInItUntilItIsHealed() throws IOException {
    try (Socket caller = call();
        Socket called = take()) {
      link.cut(true, false);
      caller.getOutputStream().write(1);
      called.getOutputStream().write(2);
      assertComes(caller, 2);
      assertNothingComes(called);

      link.cut(false, false);
      assertComes(called, 1);
    }
  }

  @Test
  void theEndOfAConnectionDoesNotGetThroughACutEither() throws IOException {
    try (Socket caller = call();
        Socket called = take()) {
      link.cut(true, true);
      called.shutdownOutput();
      assertNothingComes(caller);
      link.cut(false, false);
      assertComes(caller, -1);
    }
  }

  @Test
  void aCallOverACutLinkIsNeitherAnsweredNorRefused() throws IOException {
    link.cut(false, true);
    try (Socket caller = call()) {
      caller.getOutputStream().write(1);
      assertNothingComes(caller);
      link.cut(false, false);
      try (Socket called = take()) {
        assertComes(called, 1);
      }
    }
  }

  @Test
  void whereNoProcessIsCallsAreRefused() throws IOException {
    for (int i = 0; i < ENDS; i++) { // a port may stay open for a moment after its socket's end
      link.setAlive(false);
      assertThatThrownBy(this::call).isInstanceOf(ConnectException.class);
      link.setAlive(true);
      call().close();
    }
  }
}
