package dev.tidemark.server.http;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves {@code /metrics} in Prometheus's text format, {@code /livez} and {@code /readyz}: 200 and
 * "ok", or 503 and the reason. It has threads of its own and asks the shards from outside, so that
 * it also answers while the broker starts, or when it hangs.
 */
public final class HttpEndpoint implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(HttpEndpoint.class);
  private static final int BACKLOG = 16;
  private static final int OK = 200;
  private static final int NOT_FOUND = 404;
  private static final int METHOD_NOT_ALLOWED = 405;
  private static final int UNAVAILABLE = 503;

  static {
    // Seconds that the JDK's server gives a peer for a request and for reading the answer.
    System.setProperty("sun.net.httpserver.maxReqTime", "10");
    System.setProperty("sun.net.httpserver.maxRspTime", "30");
    // Each may take a thread for that long; more are closed at once.
    System.setProperty("jdk.httpserver.maxConnections", "64");
  }

  private final HttpServer server;
  private final ExecutorService threads;
  private final BrokerProbe probe;

  private HttpEndpoint(HttpServer server, ExecutorService threads, BrokerProbe probe) {
    this.server = server;
    this.threads = threads;
    this.probe = probe;
  }

  /** Listens at {@code address}; throws {@link IOException} when it is taken or not allowed. */
  public static HttpEndpoint open(InetSocketAddress address, BrokerProbe probe) throws IOException {
    HttpServer server = HttpServer.create(address, BACKLOG);
    AtomicInteger number = new AtomicInteger();
    ExecutorService threads =
        Executors.newCachedThreadPool(
            task -> {
              Thread thread = new Thread(task, "http-" + number.incrementAndGet());
              thread.setDaemon(true);
              return thread;
            });
    HttpEndpoint endpoint = new HttpEndpoint(server, threads, probe);
    server.createContext("/", endpoint::handle);
    server.setExecutor(threads);
    server.start();
    return endpoint;
  }

  /** The port that is listened at. */
  public int port() {
    return server.getAddress().getPort();
  }

  private record Answer(int status, String type, String text) {
    static Answer plain(int status, String text) {
      return new Answer(status, "text/plain; charset=utf-8", text + "\n");
    }

    static Answer health(Optional<String> why) {
      return why.map(text -> plain(UNAVAILABLE, text)).orElseGet(() -> plain(OK, "ok"));
    }
  }

  private void handle(HttpExchange exchange) throws IOException {
    try (exchange) {
      Answer answer = answer(exchange);
      byte[] body = answer.text.getBytes(StandardCharsets.UTF_8);
      exchange.getResponseHeaders().set("Content-Type", answer.type);
      boolean head = exchange.getRequestMethod().equals("HEAD");
      exchange.sendResponseHeaders(answer.status, head ? -1 : body.length);
      if (!head) {
        exchange.getResponseBody().write(body);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // the endpoint closes
    } catch (RuntimeException e) {
      LOG.error("{} could not be answered", exchange.getRequestURI(), e);
    }
  }

  private Answer answer(HttpExchange exchange) throws InterruptedException {
    String method = exchange.getRequestMethod();
    if (!method.equals("GET") && !method.equals("HEAD")) {
      return Answer.plain(METHOD_NOT_ALLOWED, "only GET is answered");
    }
    return switch (exchange.getRequestURI().getPath()) {
      case "/metrics" -> metrics();
      case "/livez" -> Answer.health(probe.whyDead());
      case "/readyz" -> Answer.health(probe.whyNotReady());
      case "/" -> Answer.plain(OK, "/metrics /livez /readyz");
      default -> Answer.plain(NOT_FOUND, "there are /metrics, /livez and /readyz");
    };
  }

  private Answer metrics() throws InterruptedException {
    PrometheusText text = new PrometheusText();
    if (!probe.collect(text)) {
      return Answer.plain(UNAVAILABLE, "the broker does not answer; see /livez");
    }
    ProcessMetrics.visit(text);
    return new Answer(OK, PrometheusText.CONTENT_TYPE, text.toString());
  }

  /** Ends what is being answered. */
  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}
