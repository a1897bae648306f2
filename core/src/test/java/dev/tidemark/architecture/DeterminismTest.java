package dev.tidemark.architecture;

import static com.tngtech.archunit.core.domain.JavaCall.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameMatching;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaCall;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/**
 * The core does the same for the same inputs: time, chance, threads, files and sockets reach it
 * through {@code dev.tidemark.env} alone, so that the simulator can supply its own.
 */
@AnalyzeClasses(packages = "dev.tidemark", importOptions = ImportOption.DoNotIncludeTests.class)
class DeterminismTest {
  private static final String WHY = "the simulator must be able to repeat a run from its seed";

  @ArchTest
  static final ArchRule NO_CLOCK_OF_ITS_OWN =
      noClasses()
          .should()
          .callMethod(System.class, "currentTimeMillis")
          .orShould()
          .callMethod(System.class, "nanoTime")
          .orShould()
          .callMethodWhere(
              target(nameMatching("now")).and(target(owner(nameMatching("java\\.time\\..*")))))
          .orShould()
          .callMethodWhere(
              target(nameMatching("system.*"))
                  .and(target(owner(nameMatching("java\\.time\\.Clock")))))
          .orShould()
          .dependOnClassesThat()
          .haveFullyQualifiedName("org.apache.kafka.common.utils.SystemTime")
          .orShould()
          .accessField("org.apache.kafka.common.utils.Time", "SYSTEM")
          .because(WHY);

  @ArchTest
  static final ArchRule NO_CHANCE_OF_ITS_OWN =
      noClasses()
          .should()
          .callMethod(Math.class, "random")
          .orShould()
          .callMethod(java.util.UUID.class, "randomUUID")
          .orShould()
          .callMethodWhere(
              target(nameMatching("randomUuid"))
                  .and(target(owner(nameMatching("org\\.apache\\.kafka\\.common\\.Uuid")))))
          .orShould()
          .callConstructor(java.util.Random.class) // without a seed
          .orShould()
          .dependOnClassesThat(assignableTo(java.security.SecureRandom.class))
          .because(WHY);

  @ArchTest
  static final ArchRule NO_THREADS_OF_ITS_OWN =
      noClasses()
          .should()
          .dependOnClassesThat(assignableTo(Thread.class))
          .orShould()
          .dependOnClassesThat()
          .haveNameMatching(
              "java\\.util\\.concurrent\\.(Executors|ForkJoinPool|ThreadLocalRandom|Timer|.*Executor"
                  + "|(?!AbstractExecutorService).*ExecutorService" // that one has no threads
                  + "|locks\\..*|CountDownLatch|Semaphore|.*BlockingQueue)")
          .orShould()
          .callMethodWhere(target(nameMatching("parallelStream")))
          .orShould()
          .callMethodWhere(target(nameMatching("(supply|run)Async")))
          .because(WHY);

  @ArchTest
  static final ArchRule NO_FILES_AND_SOCKETS_OF_ITS_OWN =
      noClasses()
          .should()
          .dependOnClassesThat()
          .haveNameMatching(
              "java\\.io\\.(File|FileInputStream|FileOutputStream|FileReader|FileWriter"
                  + "|RandomAccessFile)|java\\.nio\\.channels\\..*|java\\.nio\\.file\\.(Files|Path"
                  + "|Paths)|java\\.net\\.(Socket|ServerSocket|URL)")
          .because(WHY);

  /**
   * {@code Set.of} and {@code Map.of} iterate in an order that each JVM draws anew. Those who only
   * ask whether something is in one may have it, and are listed here.
   */
  @ArchTest
  static final ArchRule NO_UNMODIFIABLE_SETS_AND_MAPS_TO_ITERATE =
      noClasses()
          .that()
          .doNotHaveFullyQualifiedName("dev.tidemark.metadata.TopicSettings") // get
          .and()
          .doNotHaveFullyQualifiedName("dev.tidemark.metadata.DynamicKeys") // contains, anyMatch
          .and()
          .doNotHaveFullyQualifiedName("dev.tidemark.quorum.RaftApis") // get
          .and()
          .doNotHaveFullyQualifiedName("dev.tidemark.group.OffsetsWriter") // one entry
          .and()
          .doNotHaveFullyQualifiedName("dev.tidemark.quorum.RaftSettings") // one entry
          .and()
          .doNotHaveFullyQualifiedName("dev.tidemark.broker.settings.SettingsParser") // get
          .and()
          .doNotHaveFullyQualifiedName("dev.tidemark.broker.settings.ListenerProtocols") // contains
          .should()
          .callMethodWhere(
              target(owner(nameMatching("java\\.util\\.(Set|Map)")))
                  .and(target(nameMatching("of|copyOf|ofEntries")))
                  .and(hasArguments()))
          .orShould()
          .callMethodWhere(
              target(owner(nameMatching("java\\.util\\.stream\\.Collectors")))
                  .and(target(nameMatching("toUnmodifiable(Set|Map)"))))
          .because(WHY);

  /** An empty one has no order. */
  private static DescribedPredicate<JavaCall<?>> hasArguments() {
    return DescribedPredicate.describe(
        "with arguments", call -> !call.getTarget().getRawParameterTypes().isEmpty());
  }

  /** Their order differs from run to run, or between JVMs. */
  @ArchTest
  static final ArchRule NO_COLLECTIONS_ORDERED_BY_CHANCE =
      noClasses()
          .should()
          .dependOnClassesThat()
          .haveNameMatching("java\\.util\\.(IdentityHashMap|WeakHashMap)|java\\.lang\\.ref\\..*")
          .orShould()
          .callMethod(System.class, "identityHashCode", Object.class)
          .because(WHY);
}
