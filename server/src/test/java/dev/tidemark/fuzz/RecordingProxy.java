package dev.tidemark.fuzz;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;

/** Stands between clients and a broker, and keeps the frames that clients send. */
final class RecordingProxy implements AutoCloseable {
  private static final int MAX_FRAME_BYTES = 4096;
  private static final int MAX_FRAMES = 4000;

  private final ServerSocket server;
  private final List<Socket> sockets = new ArrayList<>();
  private final List<byte[]> frames = new ArrayList<>();
  private int brokerPort;

  RecordingProxy() throws IOException {
    server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
  }

  int port() {
    return server.getLocalPort();
  }

  void start(int toBrokerPort) {
    brokerPort = toBrokerPort;
    daemon(this::accept);
  }

  /** The frames seen so far, without their length prefix. */
  List<byte[]> frames() {
    synchronized (frames) {
      return List.copyOf(frames);
    }
  }

  private static void daemon(Runnable work) {
    Thread thread = new Thread(work, "recording-proxy");
    thread.setDaemon(true);
    thread.start();
  }

  private void accept() {
    try {
      while (true) {
        Socket client = server.accept();
        Socket broker = new Socket(InetAddress.getLoopbackAddress(), brokerPort);
        synchronized (sockets) {
          sockets.add(client);
          sockets.add(broker);
        }
        daemon(() -> record(client, broker));
        daemon(() -> pass(broker, client));
      }
    } catch (IOException e) {
      return; // closed
    }
  }

  private void record(Socket client, Socket broker) {
    try (client;
        broker) {
      DataInputStream in = new DataInputStream(client.getInputStream());
      DataOutputStream out = new DataOutputStream(broker.getOutputStream());
      while (true) {
        byte[] frame = new byte[in.readInt()];
        in.readFully(frame);
        keep(frame);
        out.writeInt(frame.length);
        out.write(frame);
        out.flush();
      }
    } catch (IOException e) {
      return; // one of them went away
    }
  }

  private void keep(byte[] frame) {
    synchronized (frames) {
      if (frame.length <= MAX_FRAME_BYTES && frames.size() < MAX_FRAMES) {
        frames.add(frame);
      }
    }
  }

  private static void pass(Socket broker, Socket client) {
    try (client;
        broker) {
      InputStream in = broker.getInputStream();
      in.transferTo(client.getOutputStream());
    } catch (IOException e) {
      return; // one of them went away
    }
  }

  @Override
  public void close() throws IOException {
    server.close();
    synchronized (sockets) {
      for (Socket socket : sockets) {
        socket.close();
      }
    }
  }
}
