package dev.tidemark.process;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import org.jspecify.annotations.Nullable;

/**
 * The way on which one node calls a listener of another: a proxy at an address of its own. While a
 * direction is cut nothing gets through in it, neither bytes nor the end of a connection, and new
 * connections are taken and go no further; what is held back goes on when the cut is healed. As
 * soon as no process is there, a call is refused, as the system of that node would do it.
 */
final class Link {
  private static final int BUFFER_BYTES = 64 * 1024;

  private final InetSocketAddress at;
  private final InetSocketAddress to;
  private @Nullable ServerSocket listening;
  private @Nullable Thread accepting;
  private boolean alive;
  private boolean closed;
  private boolean callsCut;
  private boolean answersCut;

  /**
   * @param at where the caller calls
   * @param toPort the port of 127.0.0.1 where the other node listens
   */
  Link(String at, int atPort, int toPort) {
    this.at = new InetSocketAddress(at, atPort);
    this.to = new InetSocketAddress(InetAddress.getLoopbackAddress(), toPort);
  }

  /** Whether there is a process at the other end. */
  synchronized void setAlive(boolean alive) throws IOException {
    this.alive = alive;
    listenIfNeeded();
  }

  /** Whether what the caller sends is held back, and what the called node sends. */
  synchronized void cut(boolean calls, boolean answers) throws IOException {
    callsCut = calls;
    answersCut = answers;
    listenIfNeeded();
    notifyAll();
  }

  synchronized boolean callsAreCut() {
    return callsCut;
  }

  synchronized boolean answersAreCut() {
    return answersCut;
  }

  synchronized void close() throws IOException {
    closed = true;
    listenIfNeeded();
    notifyAll();
  }

  /** Where a link is cut nobody hears a refusal either. */
  private void listenIfNeeded() throws IOException {
    boolean needed = !closed && (alive || callsCut || answersCut);
    ServerSocket socket = listening;
    if (needed && socket == null) {
      ServerSocket opened = new ServerSocket();
      opened.setReuseAddress(true);
      opened.bind(at);
      listening = opened;
      accepting = daemon(() -> accept(opened));
    } else if (!needed && socket != null) {
      socket.close();
      listening = null;
      awaitRefusals();
    }
  }

  /** The system takes calls for a closed socket as long as a thread still waits for one there. */
  private void awaitRefusals() {
    try {
      requireNonNull(accepting).join();
    } catch (InterruptedException e) {
      throw new IllegalStateException("nobody interrupts a link", e);
    }
  }

  private Thread daemon(Runnable work) {
    Thread thread = new Thread(work, "link-" + at);
    thread.setDaemon(true);
    thread.start();
    return thread;
  }

  private void accept(ServerSocket socket) {
    try {
      while (true) {
        Socket caller = socket.accept();
        var unused = daemon(() -> call(caller));
      }
    } catch (IOException e) {
      return; // closed
    }
  }

  private void call(Socket caller) {
    try {
      awaitPassage(true);
      awaitPassage(false);
      Socket called = new Socket(to.getAddress(), to.getPort());
      caller.setTcpNoDelay(true);
      called.setTcpNoDelay(true);
      var unused = daemon(() -> pass(called, caller, false));
      pass(caller, called, true);
    } catch (IOException e) {
      close(caller); // nobody listens there, not yet or no more
    }
  }

  private void pass(Socket from, Socket to, boolean calls) {
    byte[] buffer = new byte[BUFFER_BYTES];
    try {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
        awaitPassage(calls);
        out.write(buffer, 0, read);
      }
    } catch (IOException e) {
      // One of them went away, of which the other is to hear like of an end in order.
    }
    try {
      awaitPassage(calls);
    } finally {
      close(from);
      close(to);
    }
  }

  private synchronized void awaitPassage(boolean calls) {
    while (!closed && (calls ? callsCut : answersCut)) {
      try {
        wait();
      } catch (InterruptedException e) {
        throw new IllegalStateException("nobody interrupts a link", e);
      }
    }
  }

  private static void close(Socket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }
}
