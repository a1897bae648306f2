package dev.tidemark.architecture;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** Which package of the core may use which: the table of docs/architecture.md. */
@AnalyzeClasses(packages = "dev.tidemark", importOptions = ImportOption.DoNotIncludeTests.class)
class ModuleTableTest {
  @ArchTest
  static void environmentKnowsNobody(JavaClasses classes) {
    mayUse("env").check(classes);
  }

  @ArchTest
  static void protocolKnowsTheEnvironment(JavaClasses classes) {
    mayUse("protocol", "env").check(classes);
  }

  @ArchTest
  static void logKnowsTheWireFormat(JavaClasses classes) {
    mayUse("log", "env", "protocol").check(classes);
  }

  @ArchTest
  static void replicaKnowsTheLog(JavaClasses classes) {
    mayUse("replica", "env", "protocol", "log").check(classes);
  }

  @ArchTest
  static void quorumKnowsTheLog(JavaClasses classes) {
    mayUse("quorum", "env", "protocol", "log").check(classes);
  }

  @ArchTest
  static void metadataKnowsTheQuorumAndTheLogsSettings(JavaClasses classes) {
    mayUse("metadata", "env", "protocol", "log", "quorum").check(classes);
  }

  @ArchTest
  static void groupKnowsReplicaAndMetadata(JavaClasses classes) {
    mayUse("group", "env", "protocol", "log", "replica", "metadata").check(classes);
  }

  @ArchTest
  static void transactionKnowsReplicaAndMetadata(JavaClasses classes) {
    mayUse("transaction", "env", "protocol", "log", "replica", "metadata").check(classes);
  }

  @ArchTest
  static final ArchRule CORE_KNOWS_NO_MODULE_AROUND_IT =
      noClasses()
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(
              "dev.tidemark.server..",
              "dev.tidemark.cli..",
              "dev.tidemark.sim..",
              "dev.tidemark.testkit..",
              "dev.tidemark.bench..");

  @ArchTest
  static final ArchRule CORE_KNOWS_NO_NETWORK_LIBRARY_AND_NO_COMMAND_LINE =
      noClasses()
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("io.netty..", "picocli..", "java.util.logging..");

  /** Kafka's unstable insides are used in one place per purpose. */
  @ArchTest
  static final ArchRule KAFKA_INTERNALS_STAY_IN_THEIR_ADAPTERS =
      noClasses()
          .that(
              not(
                  resideInAnyPackage(
                      of(
                          "protocol",
                          "quorum",
                          "metadata",
                          "group",
                          "transaction",
                          "broker.settings"))))
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(
              "org.apache.kafka.common.record.internal..",
              "org.apache.kafka.common.network.internals..",
              "org.apache.kafka.raft..",
              "org.apache.kafka.controller..",
              "org.apache.kafka.storage.internals..");

  private static ArchRule mayUse(String name, String... others) {
    String[] allowed = new String[others.length + 1];
    allowed[0] = name;
    System.arraycopy(others, 0, allowed, 1, others.length);
    return noClasses()
        .that(resideInAPackage("dev.tidemark." + name + ".."))
        .should()
        .dependOnClassesThat(
            resideInAPackage("dev.tidemark..").and(not(resideInAnyPackage(of(allowed)))))
        .allowEmptyShould(true);
  }

  private static String[] of(String... names) {
    String[] patterns = new String[names.length];
    for (int i = 0; i < names.length; i++) {
      patterns[i] = "dev.tidemark." + names[i] + "..";
    }
    return patterns;
  }
}
