package dev.tidemark.cli;

import dev.tidemark.broker.folder.DataFolders;
import dev.tidemark.server.SecureRandomness;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

/** {@code tidemark random-uuid}. */
@Command(
    name = "random-uuid",
    description = "Prints a new id, for a cluster or for a controller's data folder.")
final class RandomUuidCommand implements Callable<Integer> {
  @Override
  public Integer call() {
    System.out.println(next());
    return ExitCodes.OK;
  }

  static String next() {
    return DataFolders.newClusterId(new SecureRandomness());
  }
}
