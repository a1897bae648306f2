package dev.tidemark.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;

class CommandLineIT {
  private final Installation installation = Installation.get();

  @Test
  void theReleaseHoldsWhatItNeeds() throws Exception {
    Path home = installation.home();
    assertThat(home.resolve("LICENSE")).content().contains("Apache License");
    assertThat(home.resolve("NOTICE")).content().contains("Kafka");
    assertThat(home.resolve("config/server.properties")).content().contains("listeners=");
    try (var lib = Files.list(home.resolve("lib"))) {
      assertThat(lib.map(path -> path.getFileName().toString()))
          .as("a class archive for short starts")
          .anyMatch(name -> name.matches("tidemark-[0-9.]+\\.(jsa|aot)"));
    }
  }

  @Test
  void aReadyBrokerSuggestsCommandsThatWork() throws Exception {
    try (BrokerUnderTest broker = BrokerUnderTest.start(installation.newFolder("data"))) {
      assertThat(broker.announcement()).hasSize(3);
      for (String line : broker.announcement().subList(1, 3)) {
        String command = line.strip() + (line.contains("consume") ? " --max-messages 1" : "");
        ProcessBuilder shell = installation.command(Map.of());
        shell.command("sh", "-c", command);
        Ran ran = Ran.of(shell, "").requireSuccess();
        assertThat(ran.out()).isEqualTo(line.contains("consume") ? "Hello, tide\n" : "");
      }
      assertThat(broker.stop()).as("exit code after SIGTERM").isZero();
      assertThat(broker.log()).doesNotContain("ERROR").doesNotContain("Exception");
    }
  }

  @Test
  void topicsAreCreatedListedDescribedAndDeleted() throws Exception {
    try (BrokerUnderTest broker = BrokerUnderTest.start(installation.newFolder("data"))) {
      broker
          .tidemark(
              "", "topic", "create", "tides", "--partitions", "3", "--config", "retention.ms=1000")
          .requireSuccess();
      assertThat(broker.tidemark("", "topic", "list").requireSuccess().out()).isEqualTo("tides\n");
      assertThat(broker.tidemark("", "topic", "describe", "tides").requireSuccess().out())
          .contains("partitions 3", "retention.ms=1000");
      failsWith(1, broker.tidemark("", "topic", "create", "tides"), "already exists");
      broker.tidemark("", "topic", "delete", "tides").requireSuccess();
      assertThat(broker.tidemark("", "topic", "list").requireSuccess().out()).isEmpty();
    }
  }

  @Test
  void whatWasDoneBeforeAMistakeIsTold() throws Exception {
    try (BrokerUnderTest broker = BrokerUnderTest.start(installation.newFolder("data"))) {
      broker.tidemark("", "topic", "create", "a").requireSuccess();
      Ran deletion = broker.tidemark("", "topic", "delete", "a", "nope");
      assertThat(deletion.out()).isEqualTo("Deleted a.\n");
      failsWith(1, deletion, "not deleted: nope");
      failsWith(1, broker.tidemark("", "topic", "describe", "nope"), "there is no topic nope; ");
      failsWith(
          1,
          broker.tidemark("k:v\nw\n", "produce", "t", "--key-separator", ":"),
          "line 2 ('w') has no ':'; 1 record written before it");
      Ran written = broker.tidemark("v\n", "produce", "t").requireSuccess();
      assertThat(written.err()).contains("1 record written to t.");
    }
  }

  @Test
  void theClassArchiveIsMadeOnceAndTheJvmTakesIt() throws Exception {
    Path cache = installation.newFolder("cache");
    Path data = installation.newFolder("data");
    String config = installation.home().resolve("config/server.properties").toString();
    String[] format = {"format", "--config", config, "--override", "log.dirs=" + data};
    Map<String, String> environment =
        Map.of("XDG_CACHE_HOME", cache.toString(), "TIDEMARK_JVM_OPTS", failsWithoutArchive());
    Ran.of(installation.command(environment, format), "").requireSuccess();
    Ran again = Ran.of(installation.command(environment, format), "").requireSuccess();
    assertThat(again.err()).as("it is there already").doesNotContain("preparing fast starts");
    if (Runtime.version().feature() < 25) { // newer ones take that of the release wherever it is
      try (var made = Files.list(cache.resolve("tidemark"))) {
        assertThat(made).singleElement().satisfies(archive -> assertThat(archive).isNotEmptyFile());
      }
    }
  }

  /** The flag with which the JVM does not start unless it can use its archive. */
  private static String failsWithoutArchive() {
    return Runtime.version().feature() >= 25 ? "-XX:AOTMode=on" : "-Xshare:on";
  }

  @Test
  void aTransactionalIdIsRefusedAtOnce() throws Exception {
    failsWith(
        1,
        tidemark("produce", "t", "--property", "transactional.id=x"),
        "transactions are not supported yet; leave it out");
  }

  @Test
  void anUnusableJavaHomeIsNamed() throws Exception {
    Ran ran = Ran.of(installation.command(Map.of("JAVA_HOME", "/none"), "--version"), "");
    assertThat(ran.requireSuccess().err()).contains("JAVA_HOME=/none", "using /");
  }

  @Test
  void aServerRunsFromItsFormattedFolderOnly() throws Exception {
    Path data = installation.newFolder("data");
    String config = installation.home().resolve("config/server.properties").toString();
    String[] overrides = {
      "--override", "log.dirs=" + data, "--override", "listeners=PLAINTEXT://127.0.0.1:0"
    };
    failsWith(1, tidemark(with(overrides, "server", "--config", config)), "format");
    Ran first = tidemark(with(overrides, "format", "--config", config)).requireSuccess();
    assertThat(first.out()).startsWith(data + ": formatted for cluster ");
    Ran second = tidemark(with(overrides, "format", "--config", config)).requireSuccess();
    assertThat(second.out()).startsWith(data + ": formatted already for cluster ");
    Process server =
        installation
            .command(Map.of(), with(overrides, "server", "--config", config))
            .redirectErrorStream(true)
            .start();
    try (var lines = server.inputReader()) {
      String line = lines.readLine();
      while (line != null && !line.contains("is ready")) {
        line = lines.readLine();
      }
      assertThat(line).contains("node 1 of cluster ", "PLAINTEXT://127.0.0.1:", data.toString());
      assertThat(server.toHandle().destroy()).as("asked to stop").isTrue(); // keeps our end open
      assertThat(lines.lines()).anyMatch(last -> last.contains("Tidemark stopped."));
      assertThat(server.waitFor()).isZero();
    }
  }

  private static String[] with(String[] overrides, String... command) {
    String[] all = java.util.Arrays.copyOf(command, command.length + overrides.length);
    System.arraycopy(overrides, 0, all, command.length, overrides.length);
    return all;
  }

  @Test
  void aPortInUseIsNamed() throws Exception {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      String port = String.valueOf(taken.getLocalPort());
      failsWith(1, tidemark("dev", "--ephemeral", "--port", port), "port " + port, "in use");
    }
  }

  @Test
  void aPortThatTakesRightsIsNamed() throws Exception {
    Path first = Path.of("/proc/sys/net/ipv4/ip_unprivileged_port_start");
    try (var lines = Files.newBufferedReader(first)) { // asked for less, such a file tells less
      Needed.of(Integer.parseInt(lines.readLine()) > 1, "ports for root alone");
    }
    failsWith(1, tidemark("dev", "--ephemeral", "--port", "1"), "no permission", "port above 1023");
  }

  @Test
  void anEphemeralBrokerLeavesNothing() throws Exception {
    try (BrokerUnderTest broker = BrokerUnderTest.startEphemeral()) {
      broker.tidemark("v\n", "produce", "t").requireSuccess();
      assertThat(broker.dataFolder().resolve("t-0")).isDirectory();
      assertThat(broker.stop()).isZero();
      assertThat(broker.dataFolder()).doesNotExist();
    }
  }

  @Test
  void controlCStopsInOrder() throws Exception {
    Path data = installation.newFolder("data");
    try (BrokerUnderTest broker = BrokerUnderTest.start(data)) {
      assertThat(broker.dataFolder()).isEqualTo(data);
      assertThat(data.resolve(".kafka_cleanshutdown")).doesNotExist();
      assertThat(broker.interrupt()).as("exit code").isZero();
      assertThat(data.resolve(".kafka_cleanshutdown")).exists();
    }
  }

  @Test
  void aFolderInUseIsNamed() throws Exception {
    Path data = installation.newFolder("data");
    try (BrokerUnderTest broker = BrokerUnderTest.start(data)) {
      assertThat(broker.bootstrap()).isNotEmpty();
      failsWith(
          1,
          tidemark("dev", "--port", "0", "--brokers", "1", "--data-dir", data.toString()),
          data.toString(),
          "another process",
          "choose another folder with --data-dir, or --ephemeral");
    }
  }

  @Test
  void aFolderWithoutPermissionIsNamed() throws Exception {
    Path data = installation.home().resolve("data");
    failsWith(
        1,
        tidemark("dev", "--port", "0", "--data-dir", data.toString()),
        data.toString(),
        "permission",
        "choose another folder");
  }

  @Test
  void mistakesInArgumentsAreTwo() throws Exception {
    failsWith(2, tidemark("dev", "--prot", "1"), "--prot", "--help");
    failsWith(2, tidemark("fly"), "fly", "--help");
    failsWith(2, tidemark(), "command");
    failsWith(2, tidemark("server"), "--config");
    failsWith(2, tidemark("tpoic", "list"), "unknown command 'tpoic'; did you mean 'topic'?");
    failsWith(2, tidemark("dev", "--port", "99999"), "--port", "65533");
    failsWith(2, tidemark("dev", "--brokers", "0"), "--brokers", "1 to 9");
    failsWith(2, tidemark("dev", "--voters", "2"), "--voters 2", "1, 3 or 5");
    failsWith(2, tidemark("dev", "--voters", "3", "--brokers", "1"), "--voters 3", "brokers");
    failsWith(2, tidemark("consume", "t", "--max-messages", "0"), "--max-messages", "at least 1");
    failsWith(2, tidemark("consume", "t", "--timeout-ms", "0"), "--timeout-ms", "at least 1");
    failsWith(2, tidemark("produce", "t", "--key-separator", ""), "--key-separator", "empty");
    failsWith(2, tidemark("produce", "t", "--acks", "2"), "--acks", "all, 1, 0");
    failsWith(2, tidemark("produce", "t", "--compression", "zip"), "--compression", "zstd");
  }

  @Test
  void mistakesInSettingsAreNamed() throws Exception {
    Path config = Files.createTempFile("server", ".properties");
    assertThat(config.toFile().setReadable(true, false)).isTrue();
    Files.writeString(config, "num.partitions=many\nlog.dirs=" + installation.newFolder("data"));
    failsWith(1, tidemark("server", "--config", config.toString()), "num.partitions", "many");
    failsWith(1, tidemark("server", "--config", "/none"), "/none", "does not exist");
  }

  @Test
  void aMissingBrokerIsNamed() throws Exception {
    failsWith(
        1,
        tidemark("topic", "list", "--bootstrap-server", "127.0.0.1:1"),
        "127.0.0.1:1",
        "tidemark dev");
  }

  @Test
  void versionAndHelpSucceed() throws Exception {
    assertThat(tidemark("--version").requireSuccess().out())
        .isEqualTo("tidemark " + Installation.property("tidemark.test.version") + "\n");
    assertThat(tidemark("--help").requireSuccess().out()).contains("produce", "consume", "dev");
    assertThat(tidemark("dev", "--help").requireSuccess().out()).contains("--ephemeral");
  }

  private Ran tidemark(String... args) throws Exception {
    return Ran.of(installation.command(Map.of(), args), "");
  }

  private static void failsWith(int exitCode, Ran ran, String... parts) {
    assertThat(ran.err().lines().filter(line -> !line.contains("INFO Tidemark ")))
        .as("one line, after the one of the log that says what starts")
        .singleElement(InstanceOfAssertFactories.STRING)
        .startsWith("tidemark: ")
        .contains(parts);
    assertThat(ran.exitCode()).isEqualTo(exitCode);
  }
}
