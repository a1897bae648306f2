package dev.tidemark.cli;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code tidemark config set}. */
@Command(name = "set", description = "Makes settings; they take effect at once.")
final class ConfigSetCommand extends AdminCommand {
  @Mixin ConfigTarget target = new ConfigTarget();

  @Parameters(arity = "1..*", paramLabel = "KEY=VALUE", description = "The settings.")
  Map<String, String> settings = new LinkedHashMap<>();

  @Override
  void refuseMistakes() throws CommandFailure {
    target.refuseMistakes();
  }

  @Override
  boolean isDecidedByController() {
    return true;
  }

  @Override
  void run(Admin admin) throws CommandFailure, InterruptedException {
    List<AlterConfigOp> changes =
        settings.entrySet().stream()
            .map(
                one ->
                    new AlterConfigOp(
                        new ConfigEntry(one.getKey(), one.getValue()), AlterConfigOp.OpType.SET))
            .toList();
    await(admin.incrementalAlterConfigs(Map.of(target.resource(admin), changes)).all());
    System.out.println(
        "Set " + String.join(", ", settings.keySet()) + " of " + target.text() + ".");
  }
}
