package dev.tidemark.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code tidemark config unset}. */
@Command(name = "unset", description = "Removes settings: what stands behind them holds again.")
final class ConfigUnsetCommand extends AdminCommand {
  @Mixin ConfigTarget target = new ConfigTarget();

  @Parameters(arity = "1..*", paramLabel = "KEY", description = "The settings.")
  List<String> keys = new ArrayList<>();

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
        keys.stream()
            .map(key -> new AlterConfigOp(new ConfigEntry(key, ""), AlterConfigOp.OpType.DELETE))
            .toList();
    await(admin.incrementalAlterConfigs(Map.of(target.resource(admin), changes)).all());
    System.out.println("Removed " + String.join(", ", keys) + " of " + target.text() + ".");
  }
}
