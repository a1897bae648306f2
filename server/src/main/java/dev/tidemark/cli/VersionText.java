package dev.tidemark.cli;

import dev.tidemark.server.Version;
import picocli.CommandLine.IVersionProvider;

/** What {@code --version} prints. */
final class VersionText implements IVersionProvider {
  @Override
  public String[] getVersion() {
    return new String[] {"tidemark " + Version.current()};
  }
}
