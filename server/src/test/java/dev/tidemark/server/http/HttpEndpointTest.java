package dev.tidemark.server.http;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.broker.metrics.MetricVisitor;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class HttpEndpointTest implements BrokerProbe {
  private final HttpClient client = HttpClient.newHttpClient();
  private final HttpEndpoint endpoint;
  private Optional<String> dead = Optional.empty();
  private Optional<String> notReady = Optional.empty();
  private boolean answers = true;
  private int more;

  HttpEndpointTest() throws IOException {
    InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    endpoint = HttpEndpoint.open(any, this);
  }

  @AfterEach
  void close() {
    endpoint.close();
  }

  @Override
  public Optional<String> whyDead() {
    return dead;
  }

  @Override
  public Optional<String> whyNotReady() {
    return notReady;
  }

  @Override
  public boolean collect(MetricVisitor text) {
    text.gauge("a_size", "", 7);
    text.counter("b_total", "x=\"1\"", 1);
    text.gauge("a_size", "x=\"2\"", 8);
    for (int i = 0; i < more; i++) {
      text.gauge("d_size", "x=\"" + i + "\"", i);
    }
    text.summary("c", "", new double[] {0.5}, new double[] {1.5}, 2, 3.5);
    return answers;
  }

  private HttpResponse<String> ask(String method, String path) throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://localhost:" + endpoint.port() + path))
            .timeout(Duration.ofSeconds(20))
            .method(method, HttpRequest.BodyPublishers.noBody())
            .build();
    return client.send(request, HttpResponse.BodyHandlers.ofString());
  }

  private void assertAnswer(String path, int status, String text) throws Exception {
    HttpResponse<String> answer = ask("GET", path);
    assertThat(answer.statusCode()).as(path).isEqualTo(status);
    assertThat(answer.body()).as(path).contains(text);
  }

  @Test
  void aLivingBrokerThatIsNotReadyYetSaysWhatItWaitsFor() throws Exception {
    notReady = Optional.of("the broker starts");
    assertAnswer("/livez", 200, "ok");
    assertAnswer("/readyz", 503, "the broker starts");
  }

  @Test
  void aDeadBrokerSaysWhy() throws Exception {
    dead = Optional.of("shard-0 hangs");
    assertAnswer("/livez", 503, "shard-0 hangs");
    assertAnswer("/readyz", 200, "ok");
  }

  @Test
  void samplesOfOneNameStandTogetherInPrometheusFormat() throws Exception {
    HttpResponse<String> answer = ask("GET", "/metrics");
    assertThat(answer.headers().firstValue("content-type"))
        .contains("text/plain; version=0.0.4; charset=utf-8");
    assertThat(answer.body())
        .startsWith(
            """
            # TYPE a_size gauge
            a_size 7
            a_size{x="2"} 8
            # TYPE b_total counter
            b_total{x="1"} 1
            # TYPE c summary
            c{quantile="0.5"} 1.5
            c_sum 3.5
            c_count 2
            """)
        .contains("process_open_fds ", "jvm_memory_bytes_used{area=\"heap\"} ");
  }

  @Test
  void aBrokerThatDoesNotAnswerHasNoMetrics() throws Exception {
    answers = false;
    assertAnswer("/metrics", 503, "see /livez");
  }

  @Test
  void peersThatDoNotReadKeepNobodyFromAsking() throws Exception {
    more = 500_000; // more than the kernel takes in for a peer
    List<Socket> silent = new ArrayList<>();
    try {
      for (int i = 0; i < 4; i++) {
        Socket peer = new Socket(InetAddress.getLoopbackAddress(), endpoint.port());
        silent.add(peer);
        peer.getOutputStream().write("GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n".getBytes(US_ASCII));
        assertThat(peer.getInputStream().read()).as("the answer begins").isEqualTo('H');
      }
      assertAnswer("/livez", 200, "ok");
    } finally {
      for (Socket peer : silent) {
        peer.close();
      }
    }
  }

  @Test
  void otherPathsAndMethodsAreRefused() throws Exception {
    assertAnswer("/metrics/x", 404, "/readyz");
    assertThat(ask("POST", "/metrics").statusCode()).isEqualTo(405);
    HttpResponse<String> head = ask("HEAD", "/livez");
    assertThat(head.statusCode()).isEqualTo(200);
    assertThat(head.body()).isEmpty();
  }
}
