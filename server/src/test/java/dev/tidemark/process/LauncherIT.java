package dev.tidemark.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The script {@code bin/tidemark} in a checkout and a release whose JDK and Maven are stand-ins.
 */
class LauncherIT {
  private static final String BUILDING = "building; the first time takes a minute or two";

  @TempDir Path work;
  private Path home;
  private Path tools;
  private Path jdk;

  @BeforeEach
  void makeACheckout() throws IOException {
    home = Files.createDirectories(work.resolve("a checkout"));
    Path script = Files.createDirectories(home.resolve("bin")).resolve("tidemark");
    Files.copy(Installation.get().home().resolve("bin/tidemark"), script);
    for (String module : List.of("core", "sim", "server")) {
      Files.createDirectories(home.resolve(module).resolve("src/main"));
      Files.writeString(home.resolve(module).resolve("pom.xml"), "");
    }
    Files.writeString(home.resolve("pom.xml"), "");
    tools = Files.createDirectories(work.resolve("tools"));
    for (String tool :
        List.of("sh", "cat", "cksum", "date", "find", "readlink", "sed", "touch", "mkdir", "tr")) {
      Files.createSymbolicLink(tools.resolve(tool), programOf(tool));
    }
    executable(
        tools.resolve("mvn"),
        "mkdir -p server/target/dist/lib && touch server/target/built && echo mvn \"$@\" >&2");
    jdk = jdk("jdk", 21);
    executable(jdk.resolve("bin/javac"), "");
  }

  private static Path programOf(String tool) {
    Path bin = Path.of("/bin", tool);
    return Files.exists(bin) ? bin : Path.of("/usr/bin", tool);
  }

  /** A JDK whose java says only where it is. */
  private Path jdk(String name, int version) throws IOException {
    Path folder = work.resolve(name);
    Files.createDirectories(folder.resolve("bin"));
    Files.writeString(folder.resolve("release"), "JAVA_VERSION=\"" + version + ".0.1\"\n");
    executable(folder.resolve("bin/java"), "echo run by $0");
    return folder;
  }

  private static void executable(Path file, String text) throws IOException {
    Files.writeString(file, "#!/bin/sh\n" + text + "\n");
    assertThat(file.toFile().setExecutable(true)).isTrue();
  }

  @Test
  void whatIsMissingIsBuiltOnceAndAgainWhenASourceIsNewer() throws Exception {
    Ran first = run(Map.of("JAVA_HOME", jdk.toString())).requireSuccess();
    assertThat(first.err()).contains(BUILDING, "-pl server -am package");
    assertThat(first.out()).isEqualTo("run by " + jdk + "/bin/java\n");

    Ran second = run(Map.of("JAVA_HOME", jdk.toString())).requireSuccess();
    assertThat(second.err()).isEmpty();

    Path source = Files.writeString(home.resolve("core/src/main/Changed.java"), "");
    Files.setLastModifiedTime(source, FileTime.from(Instant.now().plusSeconds(60)));
    Ran third = run(Map.of("JAVA_HOME", jdk.toString())).requireSuccess();
    assertThat(third.err()).contains(BUILDING);
  }

  @Test
  void whatIsMissingIsNamedWithTheRemedy() throws Exception {
    Map<String, String> environment = Map.of("JAVA_HOME", jdk.toString());
    Files.delete(jdk.resolve("bin/javac"));
    failsWith(run(environment), "has no compiler", "install a full JDK or set JAVA_HOME");
    Files.delete(tools.resolve("mvn"));
    failsWith(run(environment), "mvn was not found", "install Maven", "or use a release");
    Files.delete(home.resolve("server/pom.xml"));
    failsWith(run(environment), home.resolve("lib") + " is missing", "unpack the release again");
  }

  @Test
  void aBuildThatFailsIsTold() throws Exception {
    executable(tools.resolve("mvn"), "exit 1");
    failsWith(
        run(Map.of("JAVA_HOME", jdk.toString())), BUILDING, "the build failed", "mvn -B verify");
  }

  @Test
  void javaHomeComesBeforeThePathAndThePathBeforeTheNewestThatIsInstalled() throws Exception {
    Path onPath = jdk("on path", 18);
    Path newest = jdk(".sdkman/candidates/java/newest", 99);
    Files.createDirectories(home.resolve("lib"));
    String path = tools + ":" + onPath.resolve("bin");
    assertThat(run(Map.of("JAVA_HOME", jdk.toString(), "PATH", path)).out())
        .contains(jdk.toString());
    assertThat(run(Map.of("PATH", path)).out()).contains(onPath.toString());
    assertThat(run(Map.of()).out()).contains(newest.toString());

    Path old = jdk("old", 11);
    Ran withAnOldOne = run(Map.of("JAVA_HOME", old.toString(), "PATH", path));
    assertThat(withAnOldOne.err()).contains("JAVA_HOME=" + old + " is no JDK of at least 17");
    assertThat(withAnOldOne.out()).contains(onPath.toString());
  }

  private Ran run(Map<String, String> environment) throws Exception {
    ProcessBuilder builder = new ProcessBuilder(home.resolve("bin/tidemark").toString(), "topic");
    builder.environment().clear();
    builder.environment().put("PATH", tools.toString());
    builder.environment().put("HOME", work.toString());
    builder.environment().putAll(environment);
    builder.directory(home.toFile());
    return Ran.of(builder, "");
  }

  private static void failsWith(Ran ran, String... parts) {
    assertThat(ran.exitCode()).isEqualTo(1);
    assertThat(ran.err()).startsWith("tidemark: ").contains(parts);
  }
}
