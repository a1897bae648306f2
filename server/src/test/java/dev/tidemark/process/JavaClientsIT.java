package dev.tidemark.process;

import java.io.File;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class JavaClientsIT {
  private static BrokerUnderTest broker;

  @BeforeAll
  static void start() throws Exception {
    broker = BrokerUnderTest.start(Installation.get().newFolder("data"));
  }

  @AfterAll
  static void stop() throws Exception {
    broker.close();
  }

  @ParameterizedTest
  @CsvSource({"none,classic", "gzip,consumer", "snappy,classic", "lz4,consumer", "zstd,classic"})
  void theCurrentClientWritesAndReads(String codec, String groupProtocol) {
    new ClientScenario()
        .accept(new String[] {broker.bootstrap(), "now-" + codec, codec, groupProtocol});
  }

  @ParameterizedTest
  @ValueSource(strings = {"classic", "consumer"})
  void twoMembersOfAGroupShareATopicAndTheOneThatStaysTakesOver(String groupProtocol) {
    new TwoMembersScenario()
        .accept(new String[] {broker.bootstrap(), "shared-" + groupProtocol, groupProtocol});
  }

  @ParameterizedTest
  @ValueSource(strings = {"none", "lz4"})
  void anOlderClientWritesAndReads(String codec) throws Exception {
    withOlderClient(
        ClientScenario.class, new String[] {broker.bootstrap(), "older-" + codec, codec, ""});
  }

  @Test
  void twoMembersWithAnOlderClientShareATopic() throws Exception {
    withOlderClient(
        TwoMembersScenario.class, new String[] {broker.bootstrap(), "shared-older", ""});
  }

  private static void withOlderClient(Class<? extends Consumer<String[]>> scenario, String[] args)
      throws Exception {
    List<URL> urls = new ArrayList<>();
    urls.add(Path.of(Installation.property("tidemark.test.olderClient")).toUri().toURL());
    for (String entry : System.getProperty("java.class.path", "").split(File.pathSeparator, -1)) {
      if (entry.matches(".*(test-classes/?|/(lz4-java|snappy-java|zstd-jni|slf4j-api)-.*\\.jar)")) {
        urls.add(Path.of(entry).toUri().toURL());
      }
    }
    try (URLClassLoader older =
        new URLClassLoader(urls.toArray(new URL[0]), ClassLoader.getPlatformClassLoader())) {
      @SuppressWarnings("unchecked")
      Consumer<String[]> loaded =
          (Consumer<String[]>) older.loadClass(scenario.getName()).getConstructor().newInstance();
      loaded.accept(args);
    }
  }

  @Test
  void clientsWorkOverTheJdksSocketsToo() throws Exception {
    Map<String, String> nio = Map.of("TIDEMARK_JVM_OPTS", "-Dtidemark.transport=nio");
    try (BrokerUnderTest overNio =
        BrokerUnderTest.start(Installation.get().newFolder("data"), nio)) {
      new ClientScenario()
          .accept(new String[] {overNio.bootstrap(), "over-nio", "none", "classic"});
    }
  }
}
