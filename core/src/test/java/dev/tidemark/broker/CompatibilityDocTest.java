package dev.tidemark.broker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.broker.control.LeaderLease;
import dev.tidemark.broker.replication.Replication;
import dev.tidemark.broker.request.FolderMoves;
import dev.tidemark.env.LogLevels;
import dev.tidemark.metadata.Controller;
import dev.tidemark.metadata.ControllerCalls;
import dev.tidemark.metadata.ControllerSettings;
import dev.tidemark.metadata.FakeMetadataLog;
import dev.tidemark.metadata.FakeShard;
import dev.tidemark.metadata.MetadataView;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import org.apache.kafka.common.message.ApiVersionsResponseData.ApiVersion;
import org.apache.kafka.common.message.ApiVersionsResponseData.ApiVersionCollection;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Test;

/**
 * The table of APIs in docs/compatibility.md is what the code advertises. {@code
 * -Dsurefire.extra=-Dtidemark.rewrite.docs=true} on Maven's command line writes it anew.
 */
class CompatibilityDocTest {
  private static final Path DOC = Path.of("../docs/compatibility.md");
  private static final String BEGIN = "<!-- from the code: begin -->\n";
  private static final String END = "<!-- from the code: end -->";

  @Test
  void theDocumentedApisAreThoseThatAreAdvertised() throws IOException {
    String doc = Files.readString(DOC);
    int begin = doc.indexOf(BEGIN) + BEGIN.length();
    int end = doc.indexOf(END);
    String table = table();
    if (Boolean.getBoolean("tidemark.rewrite.docs")) {
      Files.writeString(DOC, doc.substring(0, begin) + table + doc.substring(end));
    } else {
      assertThat(doc.substring(begin, end)).isEqualTo(table);
    }
  }

  private static String table() {
    ApiVersionCollection advertised = registry().advertised();
    StringBuilder text = new StringBuilder("| API | key | versions |\n|---|---|---|\n");
    List<ApiKeys> missing = new ArrayList<>();
    for (ApiKeys api : ApiKeys.clientApis()) {
      ApiVersion answered = advertised.find(api.id);
      if (answered == null) {
        missing.add(api);
      } else {
        text.append(
            "| %s | %d | %d to %d |\n"
                .formatted(api.name, api.id, answered.minVersion(), answered.maxVersion()));
      }
    }
    text.append("\n| not answered, and not advertised | because they |\n|---|---|\n");
    AbsentApis.byReason(missing)
        .forEach(
            (reason, names) ->
                text.append("| %s | %s |\n".formatted(String.join(", ", names), reason)));
    return text.toString();
  }

  private static HandlerRegistry registry() {
    BrokerSettings settings = BrokerSettings.parse(Map.of("node.id", "1", "log.dirs", "unused"));
    FakeShard shard = new FakeShard();
    MetadataView view = new MetadataView();
    ControllerSettings controllerSettings =
        new ControllerSettings(1, 1, OptionalInt.empty(), true, Map.of());
    Controller controller =
        new Controller(new FakeMetadataLog(), view, shard, shard, controllerSettings);
    HandlerRegistry registry = new HandlerRegistry();
    new Handlers(settings, shard, view, new Partitions(), LogLevels.none())
        .register(
            registry,
            ControllerAccess.alone(new ControllerCalls(controller, shard, shard), 1, 1),
            new Handlers.Self(
                "id",
                (yes, no) -> yes.run(),
                List::of,
                new NoMoves(),
                Replication.alone(1, shard),
                new ServingLease(LeaderLease.notNeeded(shard), 1, shard, shard)));
    return registry;
  }

  private static final class NoMoves implements FolderMoves {
    @Override
    public Errors move(String topic, int partition, String path) {
      return Errors.LOG_DIR_NOT_FOUND;
    }

    @Override
    public List<FutureReplica> underWay() {
      return List.of();
    }
  }
}
